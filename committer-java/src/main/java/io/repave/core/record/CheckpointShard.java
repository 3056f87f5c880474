package io.repave.core.record;

/**
 * One shard of a checkpoint: the partitions from {@code first} to {@code last}, both in it. In a
 * {@code sorted} shard the files of a partition are in the order of their names; shards of version
 * 0.1 are not.
 */
public record CheckpointShard(String name, String first, String last, long files, boolean sorted) {}
