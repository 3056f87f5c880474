package io.repave.core.engine;

import io.repave.core.record.Labels;

/** The steps of a commit, in order; {@code REVERT} replaces the rest when an upload is lost. */
public enum Step {
  RECORD_UPLOADS,
  RESERVE,
  PLAN,
  COMPLETE_UPLOADS,
  VERIFY,
  PUBLISH,
  FOLLOW,
  RETIRE,
  FINISH,
  REVERT;

  /** The step's name in records, logs and messages. */
  public String label() {
    return Labels.of(this);
  }
}
