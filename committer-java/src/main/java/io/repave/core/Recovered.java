package io.repave.core;

import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;

/** What a recovery did about one unfinished commit. */
public record Recovered(CommitId id, CommitKind kind, Outcome outcome, long version, long retired) {
  /** How the commit stands now. */
  public enum Outcome {
    PUBLISHED,
    REVERTED,
    /** Another process finished it meanwhile. */
    FINISHED_ELSEWHERE
  }

  static Recovered published(CommitReport report) {
    return new Recovered(
        report.id(),
        report.kind(),
        Outcome.PUBLISHED,
        report.version(),
        report.totals().filesOut());
  }

  static Recovered reverted(ActiveCommit commit) {
    return new Recovered(commit.id(), commit.kind(), Outcome.REVERTED, 0, 0);
  }

  static Recovered ofOthers(ActiveCommit commit) {
    return new Recovered(commit.id(), commit.kind(), Outcome.FINISHED_ELSEWHERE, 0, 0);
  }
}
