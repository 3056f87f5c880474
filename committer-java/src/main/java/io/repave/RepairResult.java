package io.repave;

import java.util.List;

/**
 * The records after a repair.
 *
 * @param version the version, which a repair does not change
 * @param files the files that the records name
 * @param lostCommits earlier commits whose records are lost
 * @param searched folders outside the table, as {@code repave.locations.allowed} names them, if
 *     lost records may have named partitions there; rows in any other folder outside the table are
 *     not in the records. Empty when the records name all partitions outside.
 */
public record RepairResult(
    long version, long files, long bytes, long lostCommits, List<String> searched) {
  public RepairResult {
    searched = List.copyOf(searched);
  }
}
