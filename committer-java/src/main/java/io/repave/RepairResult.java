package io.repave;

/**
 * The records after a repair.
 *
 * @param version the version, which a repair does not change
 * @param files the files that the records name
 * @param lostCommits earlier commits whose records are lost
 */
public record RepairResult(long version, long files, long bytes, long lostCommits) {}
