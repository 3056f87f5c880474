package io.repave.hadoop;

import io.repave.hadoop.read.TableReads;
import io.repave.hadoop.read.TableRecords;
import io.repave.hadoop.read.TableViewResolver;
import io.repave.hadoop.read.VersionCache;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/** The reads of one bucket, over the store's file system that is open now. */
final class BucketReads implements Closeable {
  private final URI bucket;
  private final Configuration conf;
  private final RecordsSource recordsOf;
  private final VersionCache versions;
  private final UserGroupInformation user;
  private volatile Reads reads;

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
    reads = over(FileSystem.get(bucket, conf));
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
    if (!isOwn() && UserGroupInformation.getCurrentUser().equals(user)) {
      FileSystem now = FileSystem.get(bucket, conf);
      if (now != reads.store()) {
        reads = over(now);
      }
    }
    return reads.tables();
  }

  /** The size of blocks that readers see. A setting of the bucket, so it needs no open store. */
  long blockBytes() {
    return reads.store().getDefaultBlockSize(new Path(bucket + "/"));
  }

  /** Closes the store's file system, unless it is in Hadoop's cache, which other users share. */
  @Override
  public void close() throws IOException {
    if (isOwn()) {
      reads.store().close();
    }
  }

  private boolean isOwn() {
    return SharedFileSystems.isCacheOff(bucket, conf);
  }
}
