package io.repave.spark.catalog;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.follow.Locations;
import io.repave.core.record.Follower;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.read.StorePath;
import java.util.List;
import org.apache.hadoop.fs.Path;

/**
 * The errors of tables and partitions in the session's catalog. Each names the problem, its cause
 * and what to do.
 */
final class CatalogErrors {
  private static final String EXTERNAL_ONLY =
      " Drop a table that does not follow only if it is external: DROP TABLE of a managed table"
          + " deletes its files.";

  private CatalogErrors() {}

  static InvalidConfigException partitionNotOnS3(Location table, Path folder) {
    return new InvalidConfigException(
        "A partition of "
            + table
            + " is in "
            + folder
            + ", which is not on S3, so one commit cannot replace both. Move the partition, or"
            + " write to it by its own path.");
  }

  static InvalidConfigException partitionExcluded(Location table, Path folder) {
    return new InvalidConfigException(
        "A partition of "
            + table
            + " is in "
            + folder
            + ", which repave.exclude excludes, so this commit cannot put files there. Move the"
            + " partition, exclude the table too, or change repave.exclude.");
  }

  static InvalidConfigException partitionOfSnapshotTable(Location table, Path folder) {
    return new InvalidConfigException(
        "A partition of "
            + table
            + " is in "
            + folder
            + ", and repave.readers=snapshot keeps replaced files there. Queries by the table's name"
            + " list that folder, so they would return old and new rows. Nothing was published. Set"
            + " the partition's location to its folder in "
            + StorePath.text(RepaveFileSystem.SCHEME, table)
            + " (ALTER TABLE … PARTITION … SET LOCATION), and copy its rows there.");
  }

  static InvalidConfigException noCatalogTable(String name, Location table) {
    return new InvalidConfigException(
        "The catalog of this session has no table "
            + name
            + ", by which readers follow "
            + table
            + ". A table follows in one metastore. If another metastore has "
            + name
            + ", use a session of that one."
            + followsHereInstead(name)
            + " It creates the table again."
            + EXTERNAL_ONLY);
  }

  static InvalidConfigException managedTable(String name, Object location) {
    return new InvalidConfigException(
        managed(name, location)
            + " Nothing was changed. Follow by another name: RepaveTable.follow creates an external"
            + " table."
            + madeExternal(name));
  }

  /** A warning, for a table that follows already. */
  static String managedFollower(String name, Object location) {
    return managed(name, location) + " Do not drop it." + madeExternal(name);
  }

  private static String managed(String name, Object location) {
    return "The catalog's table "
        + name
        + " at "
        + location
        + " is a managed table: DROP TABLE "
        + name
        + " would delete that folder with the files of all versions and Repave's records.";
  }

  private static String madeExternal(String name) {
    return " Or make this one external, in Hive, because Spark refuses the statement: ALTER TABLE "
        + name
        + " SET TBLPROPERTIES ('EXTERNAL'='TRUE')";
  }

  static InvalidConfigException changedByHive(String name, Object location, HiveProperty property) {
    return new InvalidConfigException(
        changed(name, location, property)
            + " Nothing was changed. Run: "
            + switchedOff(name, property)
            + "; then follow again. Or follow by another name: RepaveTable.follow creates a table"
            + " without this property.");
  }

  /** A warning, for a table that follows already. */
  static String followerChangedByHive(String name, Object location, HiveProperty property) {
    return changed(name, location, property) + " Run: " + switchedOff(name, property);
  }

  private static String changed(String name, Object location, HiveProperty property) {
    return "The catalog's table "
        + name
        + " at "
        + location
        + " has the property "
        + property.key()
        + ": "
        + property.harm()
        + ".";
  }

  private static String switchedOff(String name, HiveProperty property) {
    return "ALTER TABLE " + name + " SET TBLPROPERTIES ('" + property.key() + "'='false')";
  }

  /** {@code mark} is the id of the follower that the table belongs to, "" for none. */
  static InvalidConfigException otherFollower(String name, String mark, Locations wanted) {
    return new InvalidConfigException(
        "The table "
            + name
            + " of this session's catalog is not the one that follows "
            + wanted.table()
            + ": its property "
            + Follower.MARK
            + " is "
            + (mark.isEmpty() ? "absent" : mark)
            + ", and the one that follows has "
            + wanted.follower().id()
            + ". Nothing was changed in the catalog."
            + (mark.isEmpty()
                ? " A table that was followed by an older release does not have this property."
                : "")
            + followsHereInstead(name)
            + " A table follows in one metastore. If another metastore has the one that follows, use"
            + " a session of that one."
            + EXTERNAL_ONLY);
  }

  private static String followsHereInstead(String name) {
    return " To make the table in this metastore the follower, call RepaveTable.follow(\""
        + name
        + "\", rebuild=True). Repave then stops updating the former follower.";
  }

  static InvalidConfigException otherCatalogTable(String name, Object location, Location table) {
    return new InvalidConfigException(
        "The catalog's table "
            + name
            + " is at "
            + location
            + ", not at "
            + table
            + ". Nothing was changed in the catalog. Use another name. If this folder is a copy of"
            + " that table, switch its follower off: RepaveTable.unfollow(\"metastore\")");
  }

  static InvalidConfigException otherPartitionColumns(
      String table, String folder, List<?> columns) {
    return new InvalidConfigException(
        "The folder '"
            + folder
            + "' does not have the partition columns of the catalog's table "
            + table
            + ", which are "
            + columns
            + ". Nothing was changed in the catalog."
            + dropOrBeginAgain(table, "the columns of the folders"));
  }

  /** {@code columns} are those that the catalog's table gets when it is created again. */
  private static String dropOrBeginAgain(Object table, String columns) {
    return " If the folder is wrong, drop it (repave drop-partitions). Otherwise drop the table in"
        + " the catalog, if it is external, and follow again, which creates it with "
        + columns
        + ": RepaveTable.follow(\""
        + table
        + "\", rebuild=True).";
  }

  static InvalidConfigException otherPartitionType(
      Object table, String folder, String column, String value, String type) {
    return new InvalidConfigException(
        "The value '"
            + value
            + "' of "
            + column
            + " in the folder '"
            + folder
            + "' is no "
            + type
            + ", which is the type of that column in the catalog's table "
            + table
            + ". Queries by that name would fail or read another value, so the partitions in the"
            + " catalog stay at the version before."
            + dropOrBeginAgain(table, "a type for all values"));
  }

  /** {@code removed} are folders of partitions; there is one at least. */
  static InvalidConfigException repetitionRemovesPartitions(
      Location table, String token, long version, List<Location> removed) {
    return new InvalidConfigException(
        "This overwrite repeats one that is done: version "
            + version
            + " of "
            + table
            + " has its token '"
            + token
            + "', and its rows. But Spark would now remove from the catalog the partitions that this"
            + " overwrite did not write, and "
            + removed.size()
            + " with files, perhaps of other writes, would be among them: "
            + removed.get(0)
            + (removed.size() > 1 ? " and others" : "")
            + ". Readers by the table's name would miss these rows. Nothing was changed. Continue"
            + " with the program's next statement. A program that is repeated can overwrite by the"
            + " table's path instead, or by dynamic overwrites, which remove no partitions.");
  }
}
