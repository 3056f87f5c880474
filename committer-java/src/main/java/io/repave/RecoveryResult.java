package io.repave;

import io.repave.core.record.CommitKind;
import java.util.List;

/** What {@link RepaveTable#recover} or {@link RepaveTable#cancel} did, and the version after it. */
public record RecoveryResult(long version, List<EndedCommit> commits) {
  public RecoveryResult {
    commits = List.copyOf(commits);
  }

  /**
   * A commit that was unfinished and has ended.
   *
   * @param commit the name of the commit's folder under {@code _repave/commits/}
   * @param partitions the folders that it put files into: those that a catalog has to know
   */
  public record EndedCommit(
      String commit, CommitKind kind, Outcome outcome, List<String> partitions) {
    public EndedCommit {
      partitions = List.copyOf(partitions);
    }
  }

  /** How an unfinished commit ended. */
  public enum Outcome {
    /** Completed, by this process or by another one. */
    FINISHED,
    /** Its rows are not in the table: run its job again. */
    REVERTED,
    /** Its rows are in the table, perhaps next to those that it replaces: run its job again. */
    ENDED
  }
}
