package io.repave.hadoop;

import io.repave.hadoop.read.TableReads;
import io.repave.hadoop.read.TableRecords;
import io.repave.hadoop.read.TableViewResolver;
import io.repave.hadoop.read.VersionCache;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The reads of one bucket, over the store's file system that is open now.
 *
 * <p>It is opened by the first read, and never while Hadoop creates the file system of {@code
 * repave://}. Hadoop lets only so many threads create file systems at the same time ({@code
 * fs.creation.parallel.count}). If all of them needed a second one, they would wait for ever.
 *
 * <p>No lock is held while a file system is opened: Hadoop closes file systems under the lock of
 * its cache, and opening one needs that lock too.
 */
final class BucketReads implements Closeable {
  private final URI bucket;
  private final Configuration conf;
  private final RecordsSource recordsOf;
  private final VersionCache versions;
  private final UserGroupInformation user;
  private final AtomicReference<Reads> reads = new AtomicReference<>();

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
        reads.set(now);
      }
    }
    return now.tables();
  }

  /** The first reads, as the user for whom Hadoop created the file system. */
  private Reads opened() throws IOException {
    Reads known = reads.get();
    if (known != null) {
      return known;
    }
    Reads mine = UserFileSystems.as(user, bucket, () -> over(FileSystem.get(bucket, conf)));
    if (reads.compareAndSet(null, mine)) {
      return mine;
    }
    if (isOwn()) {
      mine.store().close();
    }
    return reads.get();
  }

  /** The size of blocks that readers see. A setting of the bucket, so the store may be closed. */
  long blockBytes() throws IOException {
    return opened().store().getDefaultBlockSize(new Path(bucket + "/"));
  }

  /** Closes the store's file system, unless it is in Hadoop's cache, which other users share. */
  @Override
  public void close() throws IOException {
    Reads opened = reads.get();
    if (isOwn() && opened != null) {
      opened.store().close();
    }
  }

  private boolean isOwn() {
    return SharedFileSystems.isCacheOff(bucket, conf);
  }
}
