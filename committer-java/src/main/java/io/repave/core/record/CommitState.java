package io.repave.core.record;

/** Where a decided commit stands in the head. */
public enum CommitState {
  /** Decided; its files may or may not be there. */
  PENDING,
  /** Published; the files that it replaced may still be there. */
  CLEANING,
  /** An upload of it was lost for good: its files are being taken back. */
  REVERTING
}
