package io.repave.core.record;

/**
 * The contents of a manifest's shard: sorted partitions from {@code first} to {@code last}, with
 * the numbers of files that were added (written or adopted) and removed. Readers skip shards that
 * they do not need.
 */
public record ManifestShard(String first, String last, long added, long removed) {}
