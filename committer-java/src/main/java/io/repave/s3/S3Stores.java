package io.repave.s3;

import io.repave.core.store.ObjectStore;

/** Where the layers above get their store from. */
public final class S3Stores {
  private S3Stores() {}

  /** A store over these file systems, which are asked for once per bucket, at its first use. */
  public static ObjectStore open(BucketFileSystems fileSystems) {
    return new S3ObjectStore(fileSystems, Conditions.OF_THE_STORE);
  }

  /**
   * A store for who commits: before a table's first head is written it makes sure, once per bucket
   * and JVM, that the store keeps conditional writes and lists in order, and otherwise fails in a
   * sentence.
   */
  public static ObjectStore openGuarded(BucketFileSystems fileSystems) {
    return new HeadGuard(
        new S3ObjectStore(fileSystems, Conditions.OF_THE_STORE), HeadGuard.Trial.FOR_MANY_WRITERS);
  }

  /**
   * A store for a user who declares that no two jobs write to a table at once: it compares before
   * it writes, and needs no conditional writes.
   */
  public static ObjectStore openForSingleWriter(BucketFileSystems fileSystems) {
    return new S3ObjectStore(fileSystems, Conditions.OF_A_SINGLE_WRITER);
  }

  /**
   * The same for who commits: before a table's first head it makes sure that listings are right.
   */
  public static ObjectStore openGuardedForSingleWriter(BucketFileSystems fileSystems) {
    return new HeadGuard(
        new S3ObjectStore(fileSystems, Conditions.OF_A_SINGLE_WRITER),
        HeadGuard.Trial.FOR_A_SINGLE_WRITER);
  }
}
