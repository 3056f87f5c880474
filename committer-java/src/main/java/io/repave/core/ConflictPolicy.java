package io.repave.core;

/** What to do when another commit changed the same partitions since this job began. */
public enum ConflictPolicy {
  FAIL,
  LAST_WRITER
}
