package io.repave.core.record;

/**
 * A shard of a checkpoint with the partitions from {@code first} to {@code last}, inclusive. In a
 * {@code sorted} shard the files of a partition are sorted by name; shards of version 0.1 are not
 * sorted.
 */
public record CheckpointShard(String name, String first, String last, long files, boolean sorted) {}
