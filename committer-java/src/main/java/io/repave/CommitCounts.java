package io.repave;

import java.util.OptionalLong;

/**
 * What a commit changed, in numbers.
 *
 * @param partitions folders that the commit touched
 * @param filesIn files that the commit wrote
 * @param rowsIn rows of these files; empty when a file's rows are unknown
 * @param filesOut files that the commit replaced or removed
 * @param rowsOut rows of these files; empty when a file's rows are unknown
 * @param filesAdopted files of other writers that the commit added to the records
 */
public record CommitCounts(
    long partitions,
    long filesIn,
    long bytesIn,
    OptionalLong rowsIn,
    long filesOut,
    long bytesOut,
    OptionalLong rowsOut,
    long filesAdopted) {}
