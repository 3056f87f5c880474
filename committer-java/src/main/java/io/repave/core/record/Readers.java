package io.repave.core.record;

/** How a table is read; the first commit records it, and it never changes silently. */
public enum Readers {
  /** By listing folders: replaced files are deleted as soon as a commit is published. */
  LISTING,
  /** Through the records: replaced files stay until vacuum. */
  SNAPSHOT
}
