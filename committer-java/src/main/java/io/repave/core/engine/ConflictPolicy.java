package io.repave.core.engine;

/** What to do when another commit changed the same partitions since this job began. */
public enum ConflictPolicy {
  FAIL,
  LAST_WRITER
}
