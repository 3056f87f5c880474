package io.repave.testing;

import org.apache.hadoop.fs.s3a.S3AFileSystem;

/** Which of Amazon's SDKs S3A of this Hadoop calls: SDK 1 up to Hadoop 3.3, SDK 2 from 3.4 on. */
public final class AwsSdk {
  private AwsSdk() {}

  /** Whether tests of SDK 1 can run. */
  public static boolean isOne() {
    return !isTwo();
  }

  /** Whether tests of SDK 2 can run. */
  public static boolean isTwo() {
    for (var method : S3AFileSystem.class.getMethods()) {
      if (method.getName().equals("getS3AInternals")) {
        return true;
      }
    }
    return false;
  }
}
