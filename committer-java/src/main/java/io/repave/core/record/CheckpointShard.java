package io.repave.core.record;

import io.repave.core.store.Utf8Order;
import java.util.SortedSet;

/** One shard of a checkpoint: the partitions from {@code first} to {@code last}, both in it. */
public record CheckpointShard(String name, String first, String last, long files) {
  /** True when the shard may hold one of the partitions. */
  public boolean meets(SortedSet<String> partitions) {
    SortedSet<String> after = partitions.tailSet(first);
    return !after.isEmpty() && Utf8Order.compare(after.first(), last) <= 0;
  }
}
