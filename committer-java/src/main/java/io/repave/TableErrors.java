package io.repave;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.Head;

/**
 * The errors of the public API. Those about versions are the same sentences in Python; {@code
 * contract} compares them.
 */
final class TableErrors {
  private TableErrors() {}

  static InvalidConfigException noVersion(String table, long version, Head head) {
    if (head.version() == 0) {
      return noVersionYet(table, head);
    }
    return new InvalidConfigException(
        table + " has no version " + version + "; its newest is " + head.version() + ".");
  }

  private static InvalidConfigException noVersionYet(String table, Head head) {
    return new InvalidConfigException(
        table
            + " has no version yet: "
            + (head.active().isEmpty()
                ? "none of its commits was published."
                : "its first commit is not finished. Wait for its job, or finish it with `repave"
                    + " recover` if the job has died."));
  }

  static InvalidConfigException partition(Object table, String folder) {
    return new InvalidConfigException(
        table
            + "/"
            + folder
            + " is inside the table "
            + table
            + ", and this changes the whole table. Nothing was changed. Use the path of the table.");
  }

  static InvalidConfigException noVersionBefore1(String table, long version) {
    return new InvalidConfigException(
        table
            + " has no version "
            + version
            + "; the first is 1. Nothing was changed. RepaveTable.history() names the versions.");
  }

  static InvalidConfigException noPartition(String table) {
    return new InvalidConfigException(
        "No partition of "
            + table
            + " is named, so nothing was dropped. Name one, such as dt=2026-11-20, or a column and a"
            + " value before which partitions are dropped.");
  }

  static InvalidConfigException notAPartition(String table, String name) {
    return new InvalidConfigException(
        "'"
            + name
            + "' is not the name of a partition of "
            + table
            + ", such as dt=2026-11-20 or dt=2026-11-20/h=3. Nothing was dropped.");
  }

  static InvalidConfigException filesVacuumed(String table, long version, Head head) {
    return new InvalidConfigException(
        table
            + " keeps no files of version "
            + version
            + " any more: they were vacuumed. The oldest that can be read is "
            + head.oldestVersion()
            + ".");
  }

  static InvalidConfigException historyRemoved(String table, long version, Head head) {
    return new InvalidConfigException(
        table
            + " has no record of version "
            + version
            + " any more: its history begins at version "
            + head.historyFrom()
            + ". Vacuum removed what is older than repave.history.retention, or it was lost.");
  }
}
