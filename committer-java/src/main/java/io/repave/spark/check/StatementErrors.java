package io.repave.spark.check;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.read.StorePath;
import org.apache.hadoop.fs.Path;

/**
 * The errors of statements that would change a catalog or files outside of any commit, or read
 * another version than they name. Each names the problem, its cause and what to do.
 */
final class StatementErrors {
  private StatementErrors() {}

  static InvalidConfigException repairOfSnapshotTable(String name, Location table) {
    return new InvalidConfigException(
        "MSCK REPAIR TABLE "
            + name
            + " would record the partitions of one version in the catalog, and queries by this name"
            + " would not see later ones. Nothing was changed. Call "
            + opened(table)
            + ".register(\""
            + name
            + "\"), which adds the partitions of every version.");
  }

  /** {@code name} is that of the table in the metastore. */
  static InvalidConfigException repairOfFollower(String name, Location table) {
    return new InvalidConfigException(
        "The table "
            + name
            + " follows "
            + table
            + ", and MSCK REPAIR TABLE would add partitions again that the table has dropped, because"
            + " their folders have files of older versions. Nothing was changed. Call "
            + opened(table)
            + ".sync(), which sets all partitions to the newest version. If the table no longer"
            + " follows, first run: ALTER TABLE "
            + name
            + " UNSET TBLPROPERTIES ('repave.follower')");
  }

  static InvalidConfigException dropOfManagedPartition(String name, Location table) {
    return ofManagedTable(
        "DROP PARTITION",
        name,
        "Call "
            + opened(table)
            + ".drop_partitions(\"<column>=<value>\"), which removes the rows as one version. After"
            + " that, this statement removes the partition from the catalog.");
  }

  static InvalidConfigException renameOfManagedPartition(String name, Location table) {
    return ofManagedTable(
        "RENAME TO PARTITION",
        name,
        "Write the rows to the new partition with INSERT INTO, and remove those of the old one with "
            + opened(table)
            + ".drop_partitions(\"<column>=<value>\").");
  }

  static InvalidConfigException truncateOfManagedTable(String name, Location table) {
    return ofManagedTable(
        "TRUNCATE TABLE",
        name,
        "Remove the rows of partitions with "
            + opened(table)
            + ".drop_partitions(\"<column>=<value>\"), or replace all rows by INSERT OVERWRITE.");
  }

  static InvalidConfigException saveAsManagedTable(String name) {
    return ofManagedTable(
        "saveAsTable in mode overwrite",
        name,
        "Call repave.save_as_table(df, \""
            + name
            + "\"), or run INSERT OVERWRITE: both replace the rows and keep the table.");
  }

  static InvalidConfigException hiveDirectory(Path folder, Location table) {
    return new InvalidConfigException(
        "INSERT OVERWRITE DIRECTORY '"
            + folder
            + "' in a format of Hive (STORED AS, ROW FORMAT) deletes all that is in that folder,"
            + " outside of any commit, and it belongs to the table "
            + table
            + ", which Repave manages. Nothing was written. Write INSERT OVERWRITE DIRECTORY '"
            + folder
            + "' USING parquet (or the table's other format), which Repave commits, or name another"
            + " folder.");
  }

  static InvalidConfigException hiveDirectoryAround(Path folder, Location table) {
    return new InvalidConfigException(
        "INSERT OVERWRITE DIRECTORY '"
            + folder
            + "' in a format of Hive (STORED AS, ROW FORMAT) deletes all that is in that folder,"
            + " outside of any commit, and it contains the table "
            + table
            + ", which Repave manages. Nothing was written. Name another folder.");
  }

  static InvalidConfigException optionOfVersion(String option, Path path) {
    return new InvalidConfigException(
        "The option "
            + option
            + " would have no effect on "
            + path
            + ": Spark's own formats do not know it, so this read would show the newest version. Name"
            + " the version in the path instead, by its number or by a time:"
            + " repave://lake/sales/@v3, repave://lake/sales/@2026-11-20T03:00Z.");
  }

  private static InvalidConfigException ofManagedTable(String what, String name, String instead) {
    return new InvalidConfigException(
        what
            + " cannot change "
            + name
            + ", a managed table at repave://: the catalog cannot delete or move its files, so the"
            + " statement would fail, perhaps after it had changed the catalog. Nothing was changed. "
            + instead);
  }

  private static String opened(Location table) {
    return "RepaveTable.for_path(spark, \"" + StorePath.text("s3a", table) + "\")";
  }
}
