package io.repave.s3;

import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import java.util.function.Supplier;

/** Opens stores for the layers above. */
public final class S3Stores {
  private S3Stores() {}

  /** A store over these file systems. Each bucket's file system is requested once, at first use. */
  public static ObjectStore open(BucketFileSystems fileSystems) {
    return new S3ObjectStore(fileSystems, ConditionalWrites.OF_THE_STORE);
  }

  /**
   * A store for writers. Before a table's first head is written, it checks that the store honours
   * conditional writes and lists in order, once per bucket and JVM. If the store does not, it
   * refuses the write. {@code racers} makes a runner for each {@link CapabilityProbe}.
   */
  public static ObjectStore openGuarded(
      BucketFileSystems fileSystems, Supplier<ParallelRunner> racers) {
    return new ConditionalWriteGuard(
        new S3ObjectStore(fileSystems, ConditionalWrites.OF_THE_STORE),
        ConditionalWriteGuard.Trial.FOR_MANY_WRITERS,
        racers);
  }

  /**
   * A store for users who declare that no two jobs write to a table at once. It compares before it
   * writes, and needs no conditional writes.
   */
  public static ObjectStore openForSingleWriter(BucketFileSystems fileSystems) {
    return new S3ObjectStore(fileSystems, ConditionalWrites.OF_A_SINGLE_WRITER);
  }

  /** The same for writers. Before a table's first head, it checks that listings are in order. */
  public static ObjectStore openGuardedForSingleWriter(
      BucketFileSystems fileSystems, Supplier<ParallelRunner> racers) {
    return new ConditionalWriteGuard(
        new S3ObjectStore(fileSystems, ConditionalWrites.OF_A_SINGLE_WRITER),
        ConditionalWriteGuard.Trial.FOR_A_SINGLE_WRITER,
        racers);
  }
}
