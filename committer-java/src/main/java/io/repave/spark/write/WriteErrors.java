package io.repave.spark.write;

import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.read.StorePath;
import java.util.Collection;
import org.apache.hadoop.fs.Path;

/** The errors of what a statement asks for. Each names the problem, its cause and what to do. */
final class WriteErrors {
  private WriteErrors() {}

  static InvalidConfigException insertIfNotExistsBesideOthers(Location table) {
    return new InvalidConfigException(
        "One statement inserts into "
            + table
            + " several times, once or more with IF NOT EXISTS. Spark skips such an insert without"
            + " telling the committer, so it is not clear which insert runs now. Nothing was"
            + " written. Run each insert as a statement of its own.");
  }

  static CommitFailedException catalogNotRead(Path folder, Throwable cause) {
    return new CommitFailedException(
        "The partitions that the catalog has for the overwrite of "
            + folder
            + " could not be looked up, so it is not known which rows it replaces: "
            + cause.getMessage()
            + ". Nothing was written. Run the job again when the catalog answers.",
        cause);
  }

  static InvalidConfigException skippedOnRetry(Location table) {
    return new InvalidConfigException(
        "A write to "
            + table
            + " has mode ignore or IF NOT EXISTS, and repave.run is set. When the run is repeated,"
            + " Spark skips this write, and the next write to the table would count as this one"
            + " and be lost. Nothing was written. Give this write a repave.token of its own (in"
            + " repave.write_options), or test beforehand whether the data exists.");
  }

  static InvalidConfigException severalWritesWithToken(Location table) {
    return new InvalidConfigException(
        "One statement writes to "
            + table
            + " several times, and a repave.token names one write, so the second one would count"
            + " as the first and be lost. Nothing was written. Run each write as a statement of its"
            + " own, with a token of its own.");
  }

  static InvalidConfigException optionGivenTwice(String key, String writer, String block) {
    return new InvalidConfigException(
        key
            + " is given twice: '"
            + writer
            + "' as an option of the write, and '"
            + block
            + "' by the block of write options around it. Nothing was written. Give it once.");
  }

  /** {@code options} are the names of the block's options. */
  static InvalidConfigException optionsOfOtherPath(String path, Collection<String> options) {
    return new InvalidConfigException(
        "Repave does not commit the write to "
            + path
            + ", so the block of write options around it has no effect: "
            + String.join(", ", options)
            + ". Nothing was written. Write outside the block, or set repave.enabled=false where"
            + " writes need no Repave. repave.schemes and repave.exclude decide which paths it"
            + " commits; Hive tables that Spark does not convert are never among them.");
  }

  static InvalidConfigException storedInCatalog(String name, String key, String value) {
    return new InvalidConfigException(
        "The catalog has "
            + key
            + "="
            + value
            + " among the properties of "
            + name
            + ", because saveAsTable stored it when it created the table. Each later write would"
            + " count as a repetition of that one and be lost. Nothing was written. Remove it: ALTER"
            + " TABLE "
            + name
            + " SET SERDEPROPERTIES ('"
            + key
            + "' = ''); REFRESH TABLE "
            + name
            + ";");
  }

  static InvalidConfigException partitionedCreateAsSelect(String name) {
    return new InvalidConfigException(
        "CREATE TABLE "
            + name
            + " AS SELECT would record the partitions of one version in the catalog, and queries"
            + " would not see later ones. Nothing was written. Create the table without AS SELECT"
            + " first, then INSERT INTO it.");
  }

  static InvalidConfigException catalogListsSnapshotTable(String name, Location table) {
    String location = StorePath.text(RepaveFileSystem.SCHEME, table);
    return new InvalidConfigException(
        "The catalog's table "
            + name
            + " lists the files of "
            + table
            + ", and repave.readers=snapshot keeps replaced files there, so queries by this name"
            + " would return old and new rows. Nothing was written. Create the table with LOCATION '"
            + location
            + "' and write to it by its name, or set repave.readers=listing.");
  }
}
