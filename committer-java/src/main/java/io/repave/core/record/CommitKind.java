package io.repave.core.record;

/** What a commit does with the files that are there. */
public enum CommitKind {
  /** Adds files. */
  APPEND,
  /** Replaces the partitions that received files. */
  DYNAMIC,
  /** Replaces everything below given folders, or the whole table. */
  STATIC,
  /** Makes an earlier version's files the live ones again (snapshot tables). */
  ROLLBACK,
  /** Takes the files that lie in the table into the records. */
  ADOPT;

  /** True when files may leave the table by it, so that no other commit may overlap it. */
  public boolean replaces() {
    return this == DYNAMIC || this == STATIC || this == ROLLBACK;
  }
}
