package io.repave.core.error;

import java.io.IOException;

/** Messages of operations that failed because of another process. */
public final class ConflictErrors {
  private ConflictErrors() {}

  /** Another commit changed what this one replaces. */
  public static CommitConflictException changedSinceBase(
      String commit, String other, long version) {
    return new CommitConflictException(
        "Commit "
            + commit
            + " replaces partitions that commit "
            + other
            + " changed in version "
            + version
            + ", after this job had begun. Nothing of this job was published. Run it again, or set"
            + " repave.conflict=last-writer if it may replace changes that it has not read.");
  }

  public static CommitConflictException followedSinceBase(String commit, Object table) {
    return new CommitConflictException(
        "Commit "
            + commit
            + " of "
            + table
            + " began before a catalog followed the table, so its files are not in a folder of their"
            + " own. Nothing was published, and the table is as it was. Run the job again.");
  }

  public static CommitConflictException targetBeforeFollowing(long target, long from) {
    return new CommitConflictException(
        "Version "
            + target
            + " cannot be restored: a catalog follows the table since version "
            + from
            + ", and its readers would also see files that were added in between. Nothing was"
            + " published. Restore a version from "
            + from
            + " on, or stop following first.");
  }

  public static CommitConflictException changedBeforeFollowing(Object table) {
    return new CommitConflictException(
        "Jobs were writing to "
            + table
            + " while a follower was to be added. Nothing was changed. Run the command again when no"
            + " job is running; commits of dead jobs are finished by: repave recover "
            + table);
  }

  /** Another commit has to be finished first, and cannot be. The type follows the cause. */
  public static IOException blocked(String other, Object table, IOException cause) {
    if (cause instanceof InvalidConfigException) {
      return cause;
    }
    String message =
        "Commit "
            + other
            + " of the table "
            + table
            + " is unfinished, blocks this job, and could not be finished: "
            + Cause.of(cause)
            + ". Nothing of this job was published. Fix the cause, then run: repave recover "
            + table;
    return cause instanceof InvalidRecordException
        ? new InvalidRecordException(message, cause)
        : new CommitFailedException(message, cause);
  }

  public static CommitConflictException droppedBeforeReserve(String commit, Object table) {
    return new CommitConflictException(
        Dropped.table(table, "after commit " + commit + " had begun")
            + " Nothing of this job was published. Run it again.");
  }

  /** An older head was put back while the job ran. */
  public static CommitConflictException setBack(
      String commit, Object head, long base, long version) {
    return new CommitConflictException(
        "Commit "
            + commit
            + " began at version "
            + base
            + ", but the head "
            + head
            + (version < base
                ? " is at version " + version + " now"
                : " names another commit as version " + base + " now")
            + ", so an older head was put back. Nothing of this job was published. Stop all jobs of"
            + " the table and restore the newest version of the head before you run it again (\"An"
            + " older head\" in docs/operations.md).");
  }

  public static CommitConflictException droppedDuringVacuum(Object table) {
    return new CommitConflictException(
        Dropped.table(table, "while vacuum was running")
            + " Nothing was deleted. Run vacuum again.");
  }

  /** An older head was put back before the vacuum deleted anything. */
  public static CommitConflictException setBackDuringVacuum(Object head) {
    return new CommitConflictException(
        "An older head was put back at "
            + head
            + " while vacuum was looking for files to delete. Nothing was deleted. Stop all jobs of"
            + " the table and restore the newest version of the head before you run vacuum again"
            + " (\"An older head\" in docs/operations.md).");
  }

  /** An older head was put back while the vacuum deleted files. */
  public static CommitConflictException setBackAfterVacuum(Object head) {
    return new CommitConflictException(
        "An older head was put back at "
            + head
            + " while vacuum was deleting files, so versions of that head may lack files. Stop all"
            + " jobs of the table and restore the newest version of this object: all its versions"
            + " that vacuum keeps are whole. Then run vacuum again. Read \"An older head\" in"
            + " docs/operations.md.");
  }

  /** Why a vacuum ends no history; not an error. */
  public static String overtaken(int times) {
    return "jobs wrote "
        + times
        + " checkpoints while vacuum wrote its own. The records of old versions stay until the next"
        + " vacuum.";
  }

  /** Vacuum removed the target of a rollback. */
  public static CommitConflictException targetExpired(long target, long oldest) {
    return new CommitConflictException(
        "Vacuum removed version "
            + target
            + " while this rollback was in progress. The oldest version that can be restored is "
            + oldest
            + ". Nothing was changed.");
  }

  /** Files that are now in a snapshot table may be unpublished, so they are not adopted. */
  public static CommitConflictException writtenBeforeAdoption(String commit) {
    return new CommitConflictException(
        "Commit "
            + commit
            + " cannot adopt the files of this table, because another job has begun to write to it."
            + " Nothing was changed. Run the job again.");
  }

  public static CommitConflictException notAdopted(String commit, Object table) {
    return new CommitConflictException(
        "Commit "
            + commit
            + " began before "
            + table
            + " had records, and the table is a snapshot table now, whose first version must have"
            + " the files from before it. Nothing was changed. Run the job again: it begins with"
            + " these files.");
  }

  public static CommitConflictException changedDuringRepair(Object table) {
    return new CommitConflictException(
        "Another job committed to "
            + table
            + " or vacuumed it while the repair listed its files. Nothing was changed. Run the repair"
            + " again.");
  }
}
