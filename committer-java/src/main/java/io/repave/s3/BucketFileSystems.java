package io.repave.s3;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;

/**
 * Provides the file system of a bucket. The provider owns it, and closes it only when no one can
 * reach the store any more.
 */
@FunctionalInterface
public interface BucketFileSystems {
  FileSystem of(String bucket) throws IOException;
}
