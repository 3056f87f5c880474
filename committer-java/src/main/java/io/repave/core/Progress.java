package io.repave.core;

/** Hears how far a commit is; called from several threads, must not block or throw. */
@FunctionalInterface
public interface Progress {
  Progress SILENT = (step, done, total) -> {};

  /** {@code total} is 0 when the step has no countable items. */
  void at(Step step, long done, long total);
}
