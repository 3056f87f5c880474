package io.repave.core.snapshot;

/**
 * Records that were begun anew: they name {@code files} with {@code bytes} at {@code version}. Of
 * {@code lostCommits} earlier commits nothing is known any more.
 */
public record RepairReport(long version, long files, long bytes, long lostCommits) {}
