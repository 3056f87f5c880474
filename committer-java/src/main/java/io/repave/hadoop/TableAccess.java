package io.repave.hadoop;

import io.repave.core.Table;
import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.engine.StopSignal;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.Readers;
import io.repave.core.record.RecordNames;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.read.StorePath;
import io.repave.hadoop.runtime.EngineTaskEnd;
import io.repave.hadoop.runtime.RequestRetry;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.hadoop.upload.TaskAttempt;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * Finds the table of a path with Hadoop's configuration. A driver commits to it, and a task writes
 * to it.
 */
public final class TableAccess {
  private final StoreAccess access;
  private final RepaveSettings settings;
  private final TablePaths paths;
  private final String folder;

  private TableAccess(StoreAccess access, RepaveSettings settings, Location written) {
    this.access = access;
    this.settings = settings;
    paths = TablePaths.of(written);
    folder = paths.partition(written);
  }

  /** For a path that a job writes to or a user names. Refuses schemes that are not managed. */
  public static TableAccess of(Configuration conf, String path) throws InvalidConfigException {
    Path parsed = new Path(path);
    String scheme = parsed.toUri().getScheme();
    RepaveSettings settings = new RepaveSettings(conf);
    if (!settings.manages(scheme)) {
      throw SettingErrors.unmanagedScheme(path, settings.text(Setting.SCHEMES));
    }
    Location written = location(parsed);
    return new TableAccess(new StoreAccess(conf, scheme, written.bucket()), settings, written);
  }

  /**
   * The store's own path for a path of a table or of a folder in it: {@code s3a://lake/sales} for
   * {@code repave://lake/sales}, so that a catalog needs one location to read and to write.
   */
  public static Path storePath(Configuration conf, Path path) throws InvalidConfigException {
    if (!RepaveFileSystem.isPath(path)) {
      return path;
    }
    if (StorePath.of(path).isPinned()) {
      throw SettingErrors.pinnedTarget(path);
    }
    String scheme = new RepaveSettings(conf).text(Setting.STORE_SCHEME);
    return StorePath.path(scheme, location(path));
  }

  /** The location that a path such as {@code s3a://bucket/folder} names. */
  public static Location location(Path path) throws InvalidConfigException {
    try {
      return StorePath.location(path);
    } catch (IllegalArgumentException e) {
      throw new InvalidConfigException(e.getMessage());
    }
  }

  /** The path by which a writer creates a file that a task attempt announced. */
  public static String writerPath(Location at) {
    return StorePath.text(RepaveFileSystem.SCHEME, at);
  }

  public TablePaths paths() {
    return paths;
  }

  /** The table's folder. */
  public Location root() {
    return paths.root();
  }

  /** The partition folder that the path names, relative to the table; "" for the table itself. */
  public String folder() {
    return folder;
  }

  /** The path of {@code _SUCCESS} in the table; "" if a commit writes none. */
  public String marker() throws InvalidConfigException {
    if (!settings.marksSuccess()) {
      return "";
    }
    return folder.isEmpty() ? RecordNames.MARKER : folder + "/" + RecordNames.MARKER;
  }

  public RepaveSettings settings() {
    return settings;
  }

  /** The store, over the file systems that Hadoop is configured with for the path's scheme. */
  public ObjectStore store() throws InvalidConfigException {
    return access.store();
  }

  /** Repeats single requests within {@code repave.retry.budget}. */
  public RequestRetry retry() throws InvalidConfigException {
    return new RequestRetry(settings.retryPolicy());
  }

  public LedgerObjects ledgerObjects() throws InvalidConfigException {
    return new LedgerObjects(store(), retry());
  }

  /** The engine, for reading the records of a table, or changing a table that exists. */
  public Table table(Progress progress) throws InvalidConfigException {
    return Table.open(access.ports(access.store(), progress), paths, access.engineSettings());
  }

  /**
   * The engine, for a job that may create the table. It refuses an unsuitable store, and a folder
   * whose {@code repave://} path shows a version of another table.
   */
  public Table tableToBegin(Progress progress) throws InvalidConfigException {
    return tableToBegin(progress, StopSignal.NEVER, UnaryOperator.identity());
  }

  /**
   * The same, for a job that a signal stops, over a store that {@code watch} puts around the real
   * one.
   */
  public Table tableToBegin(Progress progress, StopSignal stop, UnaryOperator<ObjectStore> watch)
      throws InvalidConfigException {
    if (StorePath.isOfVersion(root())) {
      throw SettingErrors.folderOfVersion(settings.text(Setting.STORE_SCHEME), root());
    }
    ObjectStore watched = watch.apply(access.storeToBegin());
    Ports ports = access.ports(watched, progress).stoppedBy(stop);
    return Table.open(ports, paths, access.engineSettings());
  }

  /** Tests the store with small objects below {@code _repave/}: 20 requests. */
  public StoreFindings tryOutStore() throws IOException, InterruptedException {
    return access.tryOut(paths.records());
  }

  /**
   * Starts a task attempt of a commit to this table. Spark does not abort a task whose writer could
   * not be created, for example because its codec is missing: neither in RDD saves nor, in 3.5, for
   * a DataFrame. Its files would stay open in this executor for good.
   */
  public TaskAttempt beginTask(Readers readers) throws InvalidConfigException {
    TaskAttempt attempt =
        new TaskAttempt(paths.root(), readers, access.uploadResources(), OpenFiles.JVM);
    EngineTaskEnd.FOUND.await(attempt::abortUnlessEnded);
    return attempt;
  }
}
