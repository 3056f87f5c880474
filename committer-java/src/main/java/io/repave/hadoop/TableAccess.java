package io.repave.hadoop;

import io.repave.core.error.InvalidConfig;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.read.StorePath;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.hadoop.upload.Retry;
import io.repave.hadoop.upload.SharedUploads;
import io.repave.hadoop.upload.TaskAttempt;
import io.repave.hadoop.upload.Transfers;
import io.repave.s3.S3Stores;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The way from Hadoop's world (a configuration, a path) to the table that the path belongs to: what
 * a driver commits to and what a task writes to.
 */
public final class TableAccess {
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 10_000;

  private final Configuration conf;
  private final RepaveSettings settings;
  private final String scheme;
  private final Location root;
  private final String folder;

  private TableAccess(Configuration conf, String scheme, Location written) {
    this.conf = conf;
    this.scheme = scheme;
    settings = new RepaveSettings(conf);
    root = withoutPartitions(written);
    folder = written.equals(root) ? "" : root.relative(written);
  }

  /** For a path that a job writes to, or a user names; refuses schemes that are not managed. */
  public static TableAccess of(Configuration conf, String path) throws InvalidConfig {
    Path parsed = new Path(path);
    String scheme = parsed.toUri().getScheme();
    if (!new RepaveSettings(conf).manages(scheme)) {
      throw new InvalidConfig(
          path
              + " is not on a file system that Repave manages. repave.schemes lists "
              + new RepaveSettings(conf).text(Setting.SCHEMES)
              + ".");
    }
    return new TableAccess(conf, scheme, place(parsed));
  }

  /** The place that a path such as {@code s3a://bucket/folder} names. */
  public static Location place(Path path) throws InvalidConfig {
    try {
      return StorePath.location(path);
    } catch (IllegalArgumentException e) {
      throw new InvalidConfig(e.getMessage());
    }
  }

  /** The path by which a writer creates a file that a task attempt announced. */
  public static String writerPath(Location at) {
    return StorePath.text(RepaveFileSystem.SCHEME, at);
  }

  /** The table's folder. */
  public Location root() {
    return root;
  }

  /** The partition folder that the path names, relative to the table; "" for the table itself. */
  public String folder() {
    return folder;
  }

  public RepaveSettings settings() {
    return settings;
  }

  /** The store, over the file systems that Hadoop is configured with for this scheme. */
  public ObjectStore store() {
    return S3Stores.open(bucket -> FileSystem.get(URI.create(scheme + "://" + bucket), conf));
  }

  /** Starts a task attempt of a commit to this table. */
  public TaskAttempt beginTask(Readers readers) throws IOException {
    SharedUploads shared =
        SharedUploads.ofJvm(
            settings.count(Setting.UPLOAD_THREADS), settings.bytes(Setting.UPLOAD_MEMORY));
    Retry retry =
        new Retry(settings.millis(Setting.RETRY_BUDGET), FIRST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS);
    Transfers transfers =
        new Transfers(store(), shared.pool(), shared.memory(), retry, settings.parts());
    return new TaskAttempt(root, readers, transfers, OpenFiles.JVM);
  }

  private static Location withoutPartitions(Location written) {
    Location table = written;
    while (isPartition(table.key())) {
      int slash = table.key().lastIndexOf('/');
      table = new Location(table.bucket(), slash < 0 ? "" : table.key().substring(0, slash));
    }
    return table;
  }

  private static boolean isPartition(String key) {
    int name = key.lastIndexOf('/') + 1;
    return key.indexOf('=', name) > name;
  }
}
