package io.repave.core.snapshot;

import io.repave.core.record.CheckpointShard;
import io.repave.core.record.Footprint;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides which shards of a checkpoint the next checkpoint names again: shards without a touched
 * partition, unless they are small and have a neighbor to merge with. So the number of shards
 * follows the number of live files, not the number of commits.
 */
final class KeptShards {
  /**
   * The most small shards that one checkpoint merges; a table of version 0.1 may have thousands.
   */
  private static final int MERGED_MOST = 256;

  private final List<CheckpointShard> kept = new ArrayList<>();
  private final List<CheckpointShard> rewritten = new ArrayList<>();

  private final int size;

  /** {@code size} is the number of files in a full shard; a small one has less than half. */
  KeptShards(List<CheckpointShard> shards, Footprint touched, int size) {
    this.size = size;
    boolean[] rewrite = new boolean[shards.size()];
    for (int i = 0; i < rewrite.length; i++) {
      rewrite[i] = touched.mayCoverBetween(shards.get(i).first(), shards.get(i).last());
    }
    merge(shards, rewrite);
    spread(shards, rewrite);
    for (int i = 0; i < rewrite.length; i++) {
      (rewrite[i] ? rewritten : kept).add(shards.get(i));
    }
  }

  private void merge(List<CheckpointShard> shards, boolean[] rewrite) {
    int merged = 0;
    boolean beforeIsOpen = false;
    for (int i = 0; i < rewrite.length && merged < MERGED_MOST; i++) {
      boolean isOpen = rewrite[i] || isSmall(shards, i);
      boolean nextIsOpen = i + 1 < rewrite.length && (rewrite[i + 1] || isSmall(shards, i + 1));
      if (!rewrite[i] && isOpen && (beforeIsOpen || nextIsOpen)) {
        rewrite[i] = true;
        merged++;
      }
      beforeIsOpen = isOpen;
    }
  }

  private boolean isSmall(List<CheckpointShard> shards, int i) {
    return shards.get(i).files() < size / 2;
  }

  /** Shards that share a partition are both kept or both rewritten, so that files stay sorted. */
  private static void spread(List<CheckpointShard> shards, boolean[] rewrite) {
    for (int i = 1; i < rewrite.length; i++) {
      rewrite[i] |= rewrite[i - 1] && sharesPartition(shards, i - 1);
    }
    for (int i = rewrite.length - 2; i >= 0; i--) {
      rewrite[i] |= rewrite[i + 1] && sharesPartition(shards, i);
    }
  }

  private static boolean sharesPartition(List<CheckpointShard> shards, int i) {
    return shards.get(i + 1).first().equals(shards.get(i).last());
  }

  List<CheckpointShard> kept() {
    return kept;
  }

  List<CheckpointShard> rewritten() {
    return rewritten;
  }
}
