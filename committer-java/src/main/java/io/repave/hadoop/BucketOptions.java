package io.repave.hadoop;

import org.apache.hadoop.conf.Configuration;

/**
 * The names of S3A's options for one bucket. S3A copies {@code fs.s3a.bucket.lake.x} over {@code
 * fs.s3a.x}, but only in the configuration of its own file system, and these options are needed
 * where there is none.
 */
public final class BucketOptions {
  private static final String PREFIX = "fs.s3a.";

  private final Configuration conf;
  private final String bucket;

  public BucketOptions(Configuration conf, String bucket) {
    this.conf = conf;
    this.bucket = bucket;
  }

  /** The key whose value S3A uses for this bucket, for an option such as {@code buffer.dir}. */
  public String key(String option) {
    String own = PREFIX + "bucket." + bucket + "." + option;
    return conf.get(own) == null ? PREFIX + option : own;
  }
}
