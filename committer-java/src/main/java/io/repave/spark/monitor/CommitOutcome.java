package io.repave.spark.monitor;

import io.repave.core.record.Labels;

/** How a write ended, as the log and the metrics name it. */
enum CommitOutcome {
  COMMITTED,
  /** An earlier commit had the same token, so this one changed nothing. */
  REPEATED,
  /** Another commit changed the same partitions. */
  CONFLICT,
  /** The commit did not happen. */
  FAILED,
  /** The commit is decided or may be, and is not finished. */
  UNKNOWN,
  /** A setting, a record or the store did not let the write begin or go on. */
  REFUSED,
  /** A task failed, or the job was cancelled. */
  ABORTED;

  String label() {
    return Labels.of(this);
  }
}
