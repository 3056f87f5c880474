package io.repave.core.error;

import java.io.IOException;
import java.util.List;

/** Why a Delta log cannot follow its table. The table itself is not affected. */
public final class DeltaLogErrors {
  private static final String BEGIN_AGAIN =
      " Other readers are not affected. To begin with the present columns, switch the follower off"
          + " and on again: repave follow <table> --off delta, then repave follow <table> --delta";

  private static final String NO_DELTA_LOG =
      " A Delta log cannot describe such a table. If it has one, switch it off: repave follow <table>"
          + " --off delta";

  private DeltaLogErrors() {}

  public static InvalidRecordException outside(String partition) {
    return new InvalidRecordException(
        "The partition "
            + partition
            + " is outside the table's folder, and a Delta log names files inside it only."
            + NO_DELTA_LOG);
  }

  public static InvalidRecordException otherPartitionColumns(
      String partition, List<String> columns) {
    return new InvalidRecordException(
        "The folder '"
            + partition
            + "' does not have the partition columns of the Delta log, which are "
            + columns
            + "."
            + BEGIN_AGAIN);
  }

  public static InvalidRecordException otherPlace(String one, String other) {
    return new InvalidRecordException(
        "The folders '"
            + one
            + "' and '"
            + other
            + "' are not partitions in one folder. Spark does not read them as one table, and one may"
            + " be a copy of the other. If it is, move it out of the table and run `repave adopt`. Then"
            + " switch the follower off and on again: repave follow <table> --off delta, then repave"
            + " follow <table> --delta");
  }

  public static InvalidRecordException notParquet(String file) {
    return new InvalidRecordException(
        "The file "
            + file
            + " is not Parquet, and a Delta log names Parquet files only."
            + NO_DELTA_LOG);
  }

  public static InvalidRecordException unreadableSchema() {
    return new InvalidRecordException(
        "The columns of a file are not recorded in a form that a Delta log can have."
            + NO_DELTA_LOG);
  }

  public static InvalidRecordException unsupportedType(String column, String type) {
    return new InvalidRecordException(
        "The column "
            + column
            + " has the type "
            + type
            + ", which not every reader of Delta tables knows."
            + NO_DELTA_LOG);
  }

  public static InvalidRecordException otherType(String column, String was, String is) {
    return new InvalidRecordException(
        "The column " + column + " was " + was + " and is now " + is + "." + BEGIN_AGAIN);
  }

  public static InvalidRecordException sameName(String one, String other) {
    return new InvalidRecordException(
        "The columns " + one + " and " + other + " differ in case only." + BEGIN_AGAIN);
  }

  public static InvalidRecordException tooManyColumns(int charsMax) {
    return new InvalidRecordException(
        "The columns of all files together would have more than "
            + charsMax
            + " characters as a schema."
            + BEGIN_AGAIN);
  }

  public static InvalidRecordException otherLog(Object at) {
    return new InvalidRecordException(
        "The file "
            + at
            + " was not written for this version of the table. Another program wrote it, or an"
            + " earlier log left it. Switch the follower off and on again: repave follow <table>"
            + " --off delta, then repave follow <table> --delta");
  }

  public static InvalidRecordException tooLarge(long version, long bytesMax) {
    return new InvalidRecordException(
        "The Delta log of version "
            + version
            + " would be larger than "
            + bytesMax
            + " bytes."
            + BEGIN_AGAIN);
  }

  public static IOException noCheckpoint(Object table, IOException cause) {
    return new IOException(
        "The Delta log of "
            + table
            + " is at the table's version, but its checkpoint could not be written: "
            + cause.getMessage()
            + " Readers still work, but read more files of the log. To try again, run: repave sync "
            + table,
        cause);
  }

  public static InvalidConfigException noColumns(Object table) {
    return new InvalidConfigException(
        "The table "
            + table
            + " has no file that names its columns. Nothing was changed. Write to it first, then"
            + " switch the follower on.");
  }

  public static InvalidRecordException noColumnsYet() {
    return new InvalidRecordException(
        "There is no Delta log yet, and the files of this commit do not tell their columns. The"
            + " next commit whose files do begins the log. If no commit will, switch it off:"
            + " repave follow <table> --off delta");
  }

  public static InvalidConfigException logExists(Object folder) {
    return new InvalidConfigException(
        "There is a Delta log in "
            + folder
            + " already. Nothing was changed. If the folder is a Delta table, write to it with Delta."
            + " If an earlier table left the log, or it was copied with a table, delete it and run"
            + " the command again.");
  }
}
