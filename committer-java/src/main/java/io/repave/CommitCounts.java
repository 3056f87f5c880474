package io.repave;

/**
 * What a commit changed, in numbers.
 *
 * @param partitions folders that the commit touched
 * @param filesIn files that the commit wrote
 * @param filesOut files that the commit replaced or removed
 * @param filesAdopted files of other writers that the commit added to the records
 */
public record CommitCounts(
    long partitions, long filesIn, long bytesIn, long filesOut, long bytesOut, long filesAdopted) {}
