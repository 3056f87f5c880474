package io.repave.core.record;

/**
 * What a shard of a manifest holds: partitions from {@code first} to {@code last}, in order, and so
 * many files that came in (or were adopted) and went out. Readers skip shards that they need not
 * read.
 */
public record ManifestShard(String first, String last, long added, long removed) {}
