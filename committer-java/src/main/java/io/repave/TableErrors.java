package io.repave;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.Head;

/**
 * The errors of {@link TableReader}. Python reports the same sentences; the tables in the folder
 * {@code contract} compare them.
 */
final class TableErrors {
  private TableErrors() {}

  static InvalidConfigException noVersion(String table, long version, Head head) {
    return new InvalidConfigException(
        table + " has no version " + version + "; its newest is " + head.version() + ".");
  }

  static InvalidConfigException noVersionBefore1(String table, long version) {
    return new InvalidConfigException(
        table
            + " has no version "
            + version
            + "; the first is 1. Nothing was changed. RepaveTable.history() names the versions.");
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
