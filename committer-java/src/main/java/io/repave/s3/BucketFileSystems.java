package io.repave.s3;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;

/**
 * Where a bucket's file system comes from. It stays the giver's, who closes it, though not before
 * the store that asked is out of reach.
 */
@FunctionalInterface
public interface BucketFileSystems {
  FileSystem of(String bucket) throws IOException;
}
