package io.repave.core.record;

/** What a commit does with the existing files. */
public enum CommitKind {
  /** Adds files. */
  APPEND,
  /** Replaces the partitions that received files. */
  DYNAMIC,
  /** Replaces everything in the given folders, or the whole table. */
  STATIC,
  /** Restores the files of an earlier version (snapshot tables). */
  ROLLBACK,
  /** Makes the records name exactly the files in the table's folders. */
  ADOPT;

  /** True when the commit can remove files of the table, so that no other commit may overlap it. */
  public boolean replaces() {
    return overwrites() || this == ROLLBACK;
  }

  /** True when the commit replaces the files of some folders by its own. */
  public boolean overwrites() {
    return this == DYNAMIC || this == STATIC;
  }

  /**
   * True when the commit writes no files of its own but changes the records of any partition: its
   * folders are not named in advance.
   */
  public boolean isOfWholeTable() {
    return this == ADOPT || this == ROLLBACK;
  }
}
