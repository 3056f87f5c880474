package io.repave.core.record;

/** The state of an unfinished commit in the head. */
public enum CommitState {
  /** Decided; its files may or may not exist yet. */
  PENDING,
  /** Published; the files that it replaced may still exist. */
  CLEANING,
  /** One of its uploads is lost; its files are being deleted. */
  REVERTING
}
