package io.repave.core.engine;

import io.repave.core.record.CommitId;

/** Hears how far a commit is; called from several threads, must not block or throw. */
@FunctionalInterface
public interface Progress {
  Progress SILENT = (step, done, total) -> {};

  /** {@code total} is 0 when the step has no countable items. */
  void at(Step step, long done, long total);

  /** Another job's commit stands in the way: this one waits, and finishes it after so long. */
  default void waits(CommitId other, long millisLeft) {}

  /** Another job's commit is taken for dead, and finished by this one. */
  default void helps(CommitId other) {}

  /** A checkpoint was due and could not be written; a later commit tries again. */
  default void noCheckpoint(String why) {}

  /** Another job's dead commit could not be finished; jobs that do not overlap it go on. */
  default void blocked(CommitId other, String why) {}
}
