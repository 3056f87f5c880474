package io.repave.core.error;

/** Messages about records, and ledgers of tasks, whose content Repave does not accept. */
public final class FormatErrors {
  private FormatErrors() {}

  public static RecordRefusedException badChecksum(String where) {
    return new RecordRefusedException(
        "The record "
            + where
            + " is damaged: its checksum does not match its content. Nothing was changed. Restore it"
            + " from a backup or the bucket's older versions.");
  }

  public static RecordRefusedException newerFormat(String where, long format, int newest) {
    return new RecordRefusedException(
        "The record "
            + where
            + " has format "
            + format
            + ", newer than this version of Repave, which reads formats up to "
            + newest
            + ". Nothing was changed; use a newer Repave.");
  }

  public static RecordRefusedException otherType(String where, String type) {
    return new RecordRefusedException(
        "The record " + where + " is not of the type '" + type + "'. Nothing was changed.");
  }

  public static RecordRefusedException notAnObject(String where) {
    return new RecordRefusedException("The record " + where + " is not a JSON object.");
  }

  /** The parser's own message may quote the content, so it is not shown. */
  public static RecordRefusedException notRepaveJson(String where) {
    return new RecordRefusedException(
        "The record " + where + " is not the JSON that Repave writes.");
  }

  public static RecordRefusedException tooManyValues(String where) {
    return new RecordRefusedException(
        "The record " + where + " has more values than any record that Repave writes.");
  }

  public static RecordRefusedException tooLarge(String where) {
    return new RecordRefusedException("The record " + where + " unpacks to more than 64 MiB.");
  }

  public static RecordRefusedException notUnpackable(String where, Throwable cause) {
    return new RecordRefusedException("The record " + where + " cannot be unpacked.", cause);
  }

  public static RecordRefusedException badMember(String where, String member) {
    return new RecordRefusedException(
        "The record "
            + where
            + " has no usable '"
            + member
            + "'. It was not written by Repave, or it is damaged. Nothing was changed.");
  }

  public static RecordRefusedException badName(String where, String name) {
    String shown = name.length() > 80 ? name.substring(0, 80) + "…" : name;
    return new RecordRefusedException(
        "The record "
            + where
            + " names '"
            + shown
            + "', which is not a place inside this table. Nothing was changed.");
  }

  public static RecordRefusedException fileOfAnotherCommit(String where, String commit) {
    return new RecordRefusedException(
        "The record " + where + " names a file that commit " + commit + " cannot have written.");
  }

  public static RecordRefusedException badCommit(String folder) {
    return new RecordRefusedException(
        "A record names the commit '" + folder + "', which is not a commit id of Repave.");
  }

  public static RecordRefusedException badCommitDate(String folder, Throwable cause) {
    return new RecordRefusedException(
        "A record names the commit '" + folder + "', which has no valid date.", cause);
  }

  /** {@code reason} completes "cannot be read". */
  public static RecordRefusedException badTaskLedger(String reason) {
    return new RecordRefusedException(
        "A task's ledger cannot be read: " + reason + ". The job fails; nothing was published.");
  }
}
