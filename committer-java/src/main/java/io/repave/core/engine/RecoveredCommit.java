package io.repave.core.engine;

import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;

/** What a recovery did about one unfinished commit. */
public record RecoveredCommit(CommitId id, CommitKind kind, Outcome outcome) {
  /** The state of the commit after the recovery. */
  public enum Outcome {
    PUBLISHED,
    REVERTED,
    /** Its rows are published, and no record says which old files it should delete. */
    ENDED,
    /** Another process finished it in the meantime. */
    FINISHED_BY_ANOTHER_PROCESS
  }

  public static RecoveredCommit published(CommitReport report) {
    return new RecoveredCommit(report.id(), report.kind(), Outcome.PUBLISHED);
  }

  /** A published commit that no longer counts as unfinished, although its old files may exist. */
  public static RecoveredCommit ended(ActiveCommit commit) {
    return new RecoveredCommit(commit.id(), commit.kind(), Outcome.ENDED);
  }

  public static RecoveredCommit reverted(ActiveCommit commit) {
    return new RecoveredCommit(commit.id(), commit.kind(), Outcome.REVERTED);
  }

  public static RecoveredCommit finishedByAnotherProcess(ActiveCommit commit) {
    return new RecoveredCommit(commit.id(), commit.kind(), Outcome.FINISHED_BY_ANOTHER_PROCESS);
  }
}
