package io.repave.core.snapshot;

import java.util.List;

/**
 * The result of a repair: the records name {@code files} with {@code bytes} at {@code version}. The
 * records of {@code lostCommits} earlier commits are lost. {@code searched} are the allowed folders
 * outside the table if a lost record may have named partitions there; empty when the records tell.
 */
public record RepairReport(
    long version, long files, long bytes, long lostCommits, List<String> searched) {
  public RepairReport {
    searched = List.copyOf(searched);
  }
}
