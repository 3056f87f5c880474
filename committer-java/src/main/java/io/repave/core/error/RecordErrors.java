package io.repave.core.error;

/** Messages about records under {@code _repave/} that are missing or do not fit together. */
public final class RecordErrors {
  private static final String RESTORE_IT =
      " Nothing was changed. Restore it from the bucket's older versions.";
  private static final String RESTORE_BOTH =
      " Nothing was changed. Restore both records from the bucket's older versions.";

  private static final String SET_BACK =
      " Nothing was changed. Stop all jobs of the table and restore the newest version of this"
          + " object; docs/operations.md says what to do if there is none (\"An older head\").";

  private RecordErrors() {}

  public static InvalidRecordException headDeleted(Object head, Object record, Object records) {
    return new InvalidRecordException(
        "The head "
            + head
            + " is missing, but other records of its table are there, such as "
            + record
            + ". Nothing was changed. If the head was deleted by mistake, stop all jobs of the table"
            + " and restore it: on a bucket with versions, remove its delete marker. If the table"
            + " was dropped on purpose, delete the folder "
            + records
            + ". docs/operations.md says more (\"A deleted head\").");
  }

  public static InvalidRecordException missing(Object at) {
    return new InvalidRecordException("The record " + at + " is missing." + RESTORE_IT);
  }

  public static InvalidRecordException missingLedger(Object at) {
    return new InvalidRecordException(
        "The record "
            + at
            + " is missing, so the commit cannot be finished."
            + RESTORE_IT
            + " If it is lost for good, revert the commit with `repave cancel`.");
  }

  /** Neither a ledger nor a manifest says which files of a listing table are to be deleted. */
  public static InvalidRecordException recordsOfPublishedMissing(String commit, Object table) {
    return new InvalidRecordException(
        "Commit "
            + commit
            + " of "
            + table
            + " is published, but its ledger and its manifest are missing, so it is not known which"
            + " old files it replaces. Nothing was changed. Restore one of them from the bucket's"
            + " older versions. If both are lost for good, end the commit with `repave cancel "
            + table
            + " "
            + commit
            + "`, and run its job again: until then, the old rows stay next to the new ones.");
  }

  /** The same on a snapshot table, whose version cannot be read. */
  public static InvalidRecordException recordsOfSnapshotMissing(
      String commit, Object table, long version) {
    return new InvalidRecordException(
        "Commit "
            + commit
            + " of "
            + table
            + " is published as version "
            + version
            + ", but its ledger and its manifest are missing, so the files of that version are not"
            + " known. Nothing was changed. Restore one of them from the bucket's older versions. If"
            + " both are lost for good, read version "
            + (version - 1)
            + " and write it to another folder.");
  }

  public static InvalidRecordException ledgerNotRestored(Object at, Exception cause) {
    return new InvalidRecordException(
        "The record "
            + at
            + " of a published commit is missing, and it could not be written again ("
            + Cause.of(cause)
            + "). Nothing else was changed. Run `repave recover` again.");
  }

  public static InvalidRecordException missingManifest(long version, Object at) {
    return new InvalidRecordException(
        "The manifest of version "
            + version
            + ", "
            + at
            + ", is missing, so the files of later versions are not known."
            + RESTORE_IT);
  }

  /** Head and ledger decide together what a commit may delete, so they have to agree. */
  public static InvalidRecordException ledgerOfAnotherKind(Object at) {
    return new InvalidRecordException(
        "The record " + at + " is of another kind of commit than the head says." + RESTORE_BOTH);
  }

  public static InvalidRecordException partitionNotInLedger(Object at, String partition) {
    return new InvalidRecordException(
        "The record "
            + at
            + " holds a file of partition '"
            + partition
            + "', which the ledger of its commit does not name."
            + RESTORE_IT);
  }

  public static InvalidRecordException manifestOfAnotherKind(Object at) {
    return manifestUnfit(at, "it is the manifest of another kind of commit");
  }

  /** {@code reason} completes "does not fit the ledger of its commit". */
  public static InvalidRecordException manifestUnfit(Object at, String reason) {
    return new InvalidRecordException(
        "The record "
            + at
            + " does not fit the ledger of its commit: "
            + reason
            + ". None of the files that it names was deleted. Restore both records from the bucket's"
            + " older versions.");
  }

  public static InvalidRecordException checkpointOutOfPlace(
      Object at, long version, long previousVersion, long expected) {
    return new InvalidRecordException(
        "The record "
            + at
            + " is a checkpoint of version "
            + version
            + " that follows version "
            + previousVersion
            + ", but a checkpoint of version "
            + expected
            + " is expected there."
            + RESTORE_IT);
  }

  /** A version of Repave 0.1, which recorded no time, whose report is missing. */
  public static InvalidRecordException timeUnknown(long version, Object report) {
    return new InvalidRecordException(
        "It is not known when version "
            + version
            + " was published, because "
            + report
            + " is missing. Name the version instead of a time; `repave history` lists the versions.");
  }

  public static InvalidRecordException filesOutOfOrder(String partition, String file) {
    return new InvalidRecordException(
        "The records of this table name "
            + partition
            + "/"
            + file
            + " out of order. Nothing was changed. Restore them from the bucket's older versions.");
  }

  /** The history begins at {@code from}; {@code wanted} is an earlier version. */
  public static InvalidRecordException historyTooShort(Object table, long from, long wanted) {
    return new InvalidRecordException(
        "The history of "
            + table
            + " begins at version "
            + from
            + ", but version "
            + wanted
            + " is needed. Vacuum removed the records older than repave.history.retention, or they"
            + " were lost. If a job began before version "
            + from
            + ", run it again.");
  }

  public static InvalidRecordException rollbackOnListingTable(
      String commit, Object table, Object head) {
    return new InvalidRecordException(
        "The head of "
            + table
            + " names the rollback "
            + commit
            + ", but a table with repave.readers=listing has no rollbacks, so Repave did not write"
            + " this. Nothing was changed. Restore "
            + head
            + " from the bucket's older versions.");
  }

  /** Another record of the table knows a version that the head does not have. */
  public static InvalidRecordException headSetBack(
      Object head, long version, String record, long known) {
    return new InvalidRecordException(
        "The head "
            + head
            + " is at version "
            + version
            + ", but "
            + record
            + " was written at version "
            + known
            + ", so an older head was put back."
            + SET_BACK);
  }

  /** The same for a head that has reached that version again, with another commit. */
  public static InvalidRecordException headOfAnotherCommit(
      Object head, String token, String commit, long version) {
    return new InvalidRecordException(
        "The head "
            + head
            + " names another commit than "
            + commit
            + " as version "
            + version
            + ", but the token "
            + token
            + " was recorded for that one, so an older head was put back."
            + SET_BACK);
  }

  /** A commit that the head calls unfinished has a report, which only a finished one has. */
  public static InvalidRecordException headBeforeReport(Object head, String commit) {
    return new InvalidRecordException(
        "The head "
            + head
            + " says that commit "
            + commit
            + " is not published, but its report exists, so an older head was put back."
            + SET_BACK);
  }

  public static InvalidRecordException recordOfAnotherToken(Object at) {
    return new InvalidRecordException(
        "The record "
            + at
            + " belongs to another token. Nothing was published. Delete the record.");
  }

  /** Once it is reserved, an adoption needs all records of the live files. */
  public static InvalidRecordException notAdoptable(Object table, InvalidRecordException cause) {
    return new InvalidRecordException(
        Cause.of(cause)
            + ". The table cannot be adopted with these records; nothing was changed. To rebuild them"
            + " from the files in the table, run: repave repair "
            + table,
        cause);
  }
}
