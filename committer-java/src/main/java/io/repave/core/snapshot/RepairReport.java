package io.repave.core.snapshot;

/**
 * The result of a repair: the records name {@code files} with {@code bytes} at {@code version}. The
 * records of {@code lostCommits} earlier commits are lost.
 */
public record RepairReport(long version, long files, long bytes, long lostCommits) {}
