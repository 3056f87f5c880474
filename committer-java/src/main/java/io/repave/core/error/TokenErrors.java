package io.repave.core.error;

/** The errors of tokens. Each names the token, the commit that it belongs to, and what to do. */
public final class TokenErrors {
  private static final String OWN_TOKEN =
      " a token of its own, or set repave.run for the whole session instead.";

  private TokenErrors() {}

  public static InvalidConfigException tooLong(int keyBytes, int keyBytesMax) {
    return new InvalidConfigException(
        "The token of this job (repave.token) is too long: the key of its record would have "
            + keyBytes
            + " bytes, and the store accepts at most "
            + keyBytesMax
            + ". Use a shorter token, such as a hash of this one.");
  }

  /** {@code was} describes the earlier write, {@code is} the requested one. */
  public static InvalidConfigException ofAnotherWrite(
      String token, String commit, Object table, String was, String is) {
    return new InvalidConfigException(
        belongs(token, commit, table)
            + ", which is "
            + was
            + ", while this job is "
            + is
            + ". A token (repave.token) names one write. Nothing was written. If this job repeats that"
            + " write, its rows are in the table already, and with another token they would be there"
            + " twice. If it is another write, give it"
            + OWN_TOKEN);
  }

  public static InvalidConfigException ofThisApplication(
      String token, String commit, Object table) {
    return new InvalidConfigException(
        belongs(token, commit, table)
            + ", which was made by this application, which now uses the token again. A token"
            + " (repave.token) names one write. Nothing was written. If this is the same write after"
            + " a failure, do not give it another token, because its rows would be there twice:"
            + " `repave recover "
            + table
            + "` finishes that commit, and then the write is done. If it is another write, give it"
            + OWN_TOKEN);
  }

  /** {@code was} made the earlier write, and {@code is} makes this one. */
  public static InvalidConfigException ofAnotherBatch(
      String token, String commit, Object table, String was, String is) {
    return new InvalidConfigException(
        belongs(token, commit, table)
            + ", which was made by another query or batch ("
            + was
            + "; this is "
            + is
            + "). A token (repave.token) names one write. Nothing was written. Put a name of the"
            + " stream and the batch into the token, in Python f\"orders-{batch_id}\", and use a new"
            + " name with a new checkpoint.");
  }

  /** Vacuum removed the records that tell whose write used a token. */
  public static InvalidConfigException ofEndedHistory(
      String token, String commit, Object table, long version) {
    return new InvalidConfigException(
        belongs(token, commit, table)
            + " (version "
            + version
            + "), which is older than repave.history.retention: its records are gone, so nobody"
            + " can tell whether this job repeats that write. Nothing was written. If it does, the"
            + " write is done already. If it does not, give it a new token, or a new repave.run.");
  }

  /** The table was dropped, or its head was deleted, and its records began again. */
  public static InvalidRecordException ofAnotherTable(
      String token, String commit, Object table, Object record) {
    return new InvalidRecordException(
        "The token '"
            + token
            + "' belongs to commit "
            + commit
            + " of a table that was in "
            + table
            + " before this one, so nobody can tell whether the rows of that commit are here. Nothing"
            + " was written. If the earlier table was dropped with its rows, delete the record "
            + record
            + " and run the job again. If its head was deleted by mistake, restore the newest version"
            + " of the head.");
  }

  /** The write of a token is done, and something deleted files of it since. */
  public static InvalidConfigException rowsDeleted(
      String token, String commit, Object table, long files) {
    return new InvalidConfigException(
        belongs(token, commit, table)
            + ", so this write would change nothing; but "
            + files
            + " files of that commit have been deleted without Repave, for example by DROP"
            + " PARTITION or TRUNCATE in this job. Nothing was written. To write the rows again,"
            + " use a new token, or a new repave.run; if they should be gone, run: repave adopt "
            + table);
  }

  /** {@code removal} is a commit without a token, which removed them in {@code version}. */
  public static InvalidConfigException rowsRemoved(
      String token, String commit, Object table, String removal, long version) {
    return new InvalidConfigException(
        belongs(token, commit, table)
            + ", so this write would change nothing; but rows of that commit were removed in"
            + " version "
            + version
            + " by commit "
            + removal
            + ", which was made without a token. Nothing was written. If that commit wrote the rows"
            + " again, as a compaction does, or if they should be gone, this write is done: leave"
            + " it out. Otherwise write the rows again with a new token, or a new repave.run. A job"
            + " that may run twice needs a token for each of its overwrites, and an overwrite in"
            + " place of drop-partitions.");
  }

  private static String belongs(String token, String commit, Object table) {
    return "The token '" + token + "' belongs to commit " + commit + " of the table " + table;
  }
}
