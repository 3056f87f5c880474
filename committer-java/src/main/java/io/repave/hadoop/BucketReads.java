package io.repave.hadoop;

import io.repave.hadoop.read.TableReads;
import io.repave.hadoop.read.TableRecords;
import io.repave.hadoop.read.TableViewResolver;
import io.repave.hadoop.read.VersionCache;
import io.repave.hadoop.runtime.InterruptibleCall;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The reads of one bucket, over the store's file system that is open now.
 *
 * <p>The first question opens it, and not Hadoop while it creates the file system of {@code
 * repave://}: Hadoop lets few threads create file systems at a time ({@code
 * fs.creation.parallel.count}), and a thread that needs a second one inside would wait for ever
 * once all of them do.
 */
final class BucketReads implements Closeable {
  private final URI bucket;
  private final Configuration conf;
  private final RecordsSource recordsOf;
  private final VersionCache versions;
  private final UserGroupInformation user;
  private volatile Optional<Reads> reads = Optional.empty();

  /** Opens the table records of a bucket. */
  interface RecordsSource {
    TableRecords open(Configuration conf, URI store) throws IOException;
  }

  /** Reads over one file system of the store. */
  private record Reads(FileSystem store, TableReads tables) {}

  BucketReads(URI bucket, Configuration conf, RecordsSource recordsOf, VersionCache versions)
      throws IOException {
    this.bucket = bucket;
    this.conf = conf;
    this.recordsOf = recordsOf;
    this.versions = versions;
    user = UserGroupInformation.getCurrentUser();
  }

  private Reads over(FileSystem store) throws IOException {
    TableRecords records = recordsOf.open(conf, bucket);
    TableViewResolver resolver =
        new TableViewResolver(records, store, RepaveFileSystem.SCHEME, versions);
    return new Reads(store, new TableReads(resolver, store));
  }

  /**
   * Reads over the file system in Hadoop's cache. If somebody closed the one that this object uses,
   * there is a new one. Another user has another one, with other permissions.
   */
  TableReads current() throws IOException {
    Reads now = opened();
    if (!isOwn() && UserGroupInformation.getCurrentUser().equals(user)) {
      FileSystem cached = FileSystem.get(bucket, conf);
      if (cached != now.store()) {
        now = over(cached);
        reads = Optional.of(now);
      }
    }
    return now.tables();
  }

  /** The first reads, as the user for whom Hadoop created the file system. */
  private Reads opened() throws IOException {
    Optional<Reads> known = reads;
    return known.isPresent() ? known.get() : open();
  }

  private synchronized Reads open() throws IOException {
    if (reads.isEmpty()) {
      PrivilegedExceptionAction<Reads> first = () -> over(FileSystem.get(bucket, conf));
      String interrupted = "Interrupted while opening the file system of " + bucket + ".";
      reads = Optional.of(InterruptibleCall.run(interrupted, () -> user.doAs(first)));
    }
    return reads.get();
  }

  /** The size of blocks that readers see. A setting of the bucket, so the store may be closed. */
  long blockBytes() {
    try {
      return opened().store().getDefaultBlockSize(new Path(bucket + "/"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes the store's file system, unless it is in Hadoop's cache, which other users share. */
  @Override
  public synchronized void close() throws IOException {
    if (isOwn() && reads.isPresent()) {
      reads.get().store().close();
    }
  }

  private boolean isOwn() {
    return SharedFileSystems.isCacheOff(bucket, conf);
  }
}
