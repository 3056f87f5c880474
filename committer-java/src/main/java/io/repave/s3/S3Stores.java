package io.repave.s3;

import io.repave.core.store.ObjectStore;

/** Where the layers above get their store from. */
public final class S3Stores {
  private S3Stores() {}

  /** A store over these file systems, which are asked for once per bucket, at its first use. */
  public static ObjectStore open(BucketFileSystems fileSystems) {
    return new S3ObjectStore(fileSystems);
  }
}
