package io.repave.core.record;

/** One shard of a checkpoint: the partitions from {@code first} to {@code last}, both in it. */
public record CheckpointShard(String name, String first, String last, long files) {}
