package io.repave.core.engine;

import io.repave.core.record.CommitId;

/** Listens to the progress of a commit. Several threads call it; it must not block or throw. */
@FunctionalInterface
public interface Progress {
  Progress SILENT = (step, done, total) -> {};

  /** {@code total} is 0 when the step has no countable items. */
  void at(Step step, long done, long total);

  /** This job waits for another job's commit and will finish it after {@code millisLeft}. */
  default void waits(CommitId other, long millisLeft) {}

  /** This job finishes another job's commit, whose process seems to be dead. */
  default void helps(CommitId other) {}

  /** A due checkpoint could not be written; a later commit tries again. */
  default void noCheckpoint(String why) {}

  /** A follower could not be brought to the new version. {@code why} says what tries again. */
  default void notFollowed(String follower, String why) {}

  /** Another job's dead commit could not be finished; jobs that do not overlap it continue. */
  default void blocked(CommitId other, String why) {}
}
