package io.repave.core.error;

/** Messages about records, and ledgers of tasks, whose content Repave does not accept. */
public final class FormatErrors {
  private static final String RESTORE_IT =
      " Nothing was changed. Restore the newest undamaged version of this object from the bucket's"
          + " older versions. A backup of head.json is not safe: an older head forgets commits.";

  private static final int SHOWN_CHARS = 80;

  private FormatErrors() {}

  public static InvalidRecordException badChecksum(String where) {
    return new InvalidRecordException(
        "The record "
            + where
            + " is damaged: its checksum does not match its content."
            + RESTORE_IT);
  }

  public static InvalidRecordException newerFormat(String where, long format, int newest) {
    return new InvalidRecordException(
        "The record "
            + where
            + " has format "
            + format
            + ", newer than this version of Repave, which reads formats up to "
            + newest
            + ". Nothing was changed; use a newer Repave.");
  }

  public static InvalidRecordException otherType(String where, String type) {
    return new InvalidRecordException(
        "The record " + where + " is not of the type '" + type + "'." + RESTORE_IT);
  }

  public static InvalidRecordException notAnObject(String where) {
    return new InvalidRecordException(
        "The record " + where + " is not a JSON object." + RESTORE_IT);
  }

  /** The parser's own message may quote the content, so it is not shown. */
  public static InvalidRecordException notRepaveJson(String where) {
    return new InvalidRecordException(
        "The record " + where + " is not the JSON that Repave writes." + RESTORE_IT);
  }

  public static InvalidRecordException tooManyValues(String where) {
    return new InvalidRecordException(
        "The record "
            + where
            + " has more values than any record that Repave writes."
            + RESTORE_IT);
  }

  public static InvalidRecordException tooLarge(String where) {
    return new InvalidRecordException(
        "The record " + where + " unpacks to more than 64 MiB." + RESTORE_IT);
  }

  public static InvalidRecordException tooLargeToWrite(
      String record, long bytesMax, long valuesMax) {
    return new InvalidRecordException(
        "A record of the type '"
            + record
            + "' was not written, because it may have at most "
            + bytesMax
            + " bytes and "
            + valuesMax
            + " JSON tokens");
  }

  public static InvalidRecordException notUnpackable(String where, Throwable cause) {
    return new InvalidRecordException(
        "The record " + where + " cannot be unpacked." + RESTORE_IT, cause);
  }

  public static InvalidRecordException badMember(String where, String member) {
    return new InvalidRecordException(
        "The record "
            + where
            + " has no usable '"
            + member
            + "'. It was not written by Repave, or it is damaged."
            + RESTORE_IT);
  }

  public static InvalidRecordException badName(String where, String name) {
    return new InvalidRecordException(
        "The record "
            + where
            + " names '"
            + shown(name)
            + "', which is not a place inside this table."
            + RESTORE_IT);
  }

  public static InvalidRecordException fileOfAnotherCommit(String where, String commit) {
    return new InvalidRecordException(
        "The record "
            + where
            + " names a file that commit "
            + commit
            + " cannot have written."
            + RESTORE_IT);
  }

  public static InvalidRecordException badCommit(String folder) {
    return new InvalidRecordException(
        "A record names the commit '"
            + shown(folder)
            + "', which is not a commit id of Repave."
            + RESTORE_IT);
  }

  public static InvalidRecordException badCommitDate(String folder, Throwable cause) {
    return new InvalidRecordException(
        "A record names the commit '" + folder + "', which has no valid date." + RESTORE_IT, cause);
  }

  /** {@code reason} completes "cannot be read". */
  public static InvalidRecordException badTaskLedger(String reason) {
    return new InvalidRecordException(
        "A task's ledger cannot be read: "
            + reason
            + ". Nothing was published. Run the job again.");
  }

  public static InvalidRecordException replacedTaskLedger(Object at) {
    return new InvalidRecordException(
        "The object "
            + at
            + " is not the ledger that the task stored, so somebody has replaced it. Find out who"
            + " writes there. Run the job again, unless its error says that the commit is decided.");
  }

  /** A partition of a job whose tasks cannot name one outside the table. */
  public static InvalidRecordException taskLedgerOutside(String partition, Object folder) {
    return new InvalidRecordException(
        "The ledger of a task in "
            + folder
            + " names the partition '"
            + shown(partition)
            + "', which is outside the table, and tasks of this job write inside it only. So somebody"
            + " else has written the ledger. Nothing was published. Find out who writes there, and"
            + " run the job again.");
  }

  private static String shown(String text) {
    return text.length() > SHOWN_CHARS ? text.substring(0, SHOWN_CHARS) + "…" : text;
  }
}
