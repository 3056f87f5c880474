package io.repave.spark;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.Setting;
import io.repave.hadoop.footer.FileOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;

/** The errors of Spark's writes. Each names the problem, its cause and what to do. */
final class WriteErrors {
  private static final int COLUMNS_SHOWN = 50;

  private WriteErrors() {}

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
            + RepaveFileSystem.SCHEME
            + "://"
            + table.bucket()
            + "/"
            + table.key()
            + " (ALTER TABLE … PARTITION … SET LOCATION), and copy its rows there.");
  }

  static InvalidConfigException insertIfNotExistsBesideOthers(Location table) {
    return new InvalidConfigException(
        "One statement inserts into "
            + table
            + " several times, once or more with IF NOT EXISTS. Spark skips such an insert without"
            + " telling the committer, so it is not clear which insert runs now. Nothing was"
            + " written. Run each insert as a statement of its own.");
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

  static InvalidConfigException secondWriteInBlock(Location table) {
    return new InvalidConfigException(
        "A second write to "
            + table
            + " has the repave.token of a block of write options, and a token names one write."
            + " Nothing of the second write was written. Open a block with another token for it.");
  }

  static InvalidConfigException otherWriteInBlock(Location table) {
    return new InvalidConfigException(
        "A write to "
            + table
            + " has failed in a block of write options with a repave.token, and this one is not the"
            + " same write. If the program is repeated, the failed write may succeed and take the"
            + " token, and the rows of this one would be lost. Nothing was written. If this is another"
            + " write, open a block with another token for it. If it is the same write, computed"
            + " again, run `repave recover "
            + table
            + "`: if it finishes the failed write, the write is done. If not, open the block again"
            + " with the same token.");
  }

  static InvalidConfigException tooManyTablesInBlock(int tables) {
    return new InvalidConfigException(
        "The writes with one repave.token of a block of write options have reached "
            + tables
            + " tables, which is the limit. Open a block for each write.");
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

  static InvalidConfigException tokenInCatalog(String name, String token) {
    return new InvalidConfigException(
        "The catalog has repave.token="
            + token
            + " among the properties of "
            + name
            + ", because saveAsTable stored it when it created the table. Each later write would"
            + " count as a repetition of that one and be lost. Nothing was written. Remove it: ALTER"
            + " TABLE "
            + name
            + " SET SERDEPROPERTIES ('repave.token' = ''); REFRESH TABLE "
            + name
            + ";");
  }

  static InvalidConfigException streamingSink(Location folder) {
    return new InvalidConfigException(
        folder
            + " is written by a streaming query: Spark reads only the files that its"
            + " _spark_metadata lists, so the rows of a batch write would never be visible. Write to"
            + " another folder, or delete _spark_metadata once the query has ended permanently.");
  }

  static InvalidConfigException partitionedCreateAsSelect(String name) {
    return new InvalidConfigException(
        "CREATE TABLE "
            + name
            + " AS SELECT would record the partitions of one version in the catalog, and queries"
            + " would not see later ones. Nothing was written. Create the table without AS SELECT"
            + " first, then INSERT INTO it.");
  }

  static InvalidConfigException repairOfSnapshotTable(String name, Location table) {
    return new InvalidConfigException(
        "MSCK REPAIR TABLE "
            + name
            + " would record the partitions of one version in the catalog, and queries by this name"
            + " would not see later ones. Nothing was changed. Call"
            + " RepaveTable.for_path(spark, \"s3a://"
            + table.bucket()
            + "/"
            + table.key()
            + "\").register(\""
            + name
            + "\"), which adds the partitions of every version.");
  }

  static InvalidConfigException catalogListsSnapshotTable(String name, Location table) {
    String location = RepaveFileSystem.SCHEME + "://" + table.bucket() + "/" + table.key();
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

  static InvalidConfigException noCatalogTable(String name, Location table) {
    return new InvalidConfigException(
        "The catalog of this session has no table "
            + name
            + ", by which readers follow "
            + table
            + ". In a session with the right metastore, call RepaveTable.follow(\""
            + name
            + "\"): it creates the table again.");
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

  static InvalidConfigException otherPartitionColumns(String folder, List<?> columns) {
    return new InvalidConfigException(
        "The folder '"
            + folder
            + "' does not have the partition columns of the catalog's table, which are "
            + columns
            + ". Nothing was changed in the catalog.");
  }

  /** {@code delivered} is the order in which the plan delivers the rows. */
  static InvalidConfigException orderNotDelivered(
      Location table, FileOrder order, String delivered, List<String> partitions) {
    List<String> sorted = new ArrayList<>(partitions);
    sorted.add(order.text());
    String sort = String.join(", ", sorted);
    return new InvalidConfigException(
        "repave.order is '"
            + order.text()
            + "', but Spark's plan delivers the rows to the files of "
            + table
            + " in the order "
            + delivered
            + ", and they need "
            + (partitions.isEmpty() ? "" : "the partition columns first, so ")
            + "["
            + sort
            + "]. Nothing was written. In Python, write repave.ordered(df, "
            + (partitions.isEmpty() ? "" : "partition_by=" + quoted(partitions) + ", ")
            + "order_by="
            + quoted(List.of(order.text().split(", ")))
            + "). In SQL, end the query with "
            + (partitions.isEmpty() ? "" : "DISTRIBUTE BY " + String.join(", ", partitions) + " ")
            + "SORT BY "
            + sort
            + ".");
  }

  static InvalidConfigException orderOfBuckets(Location table, FileOrder order, String delivered) {
    return new InvalidConfigException(
        "repave.order is '"
            + order.text()
            + "', but Spark sorts the rows for the bucketed table "
            + table
            + " in the order "
            + delivered
            + ", of which the first expression is the bucket. Nothing was written. Create the table"
            + " with sortBy for these columns, in ascending order, next to bucketBy.");
  }

  private static String quoted(List<String> names) {
    return names.stream().map(it -> '"' + it + '"').collect(Collectors.joining(", ", "[", "]"));
  }

  static InvalidConfigException orderOfPartitionColumn(String column) {
    return new InvalidConfigException(
        "repave.order names the partition column "
            + column
            + ", which no file holds. Nothing was written. Name only columns inside the files.");
  }

  static InvalidConfigException orderOfUnknownColumn(String column, List<?> known) {
    return new InvalidConfigException(
        "repave.order names "
            + column
            + ", which is not a column of the rows. Nothing was written. There are: "
            + known.stream()
                .limit(COLUMNS_SHOWN)
                .map(String::valueOf)
                .collect(Collectors.joining(", ")));
  }

  static InvalidConfigException orderWithConcurrentWriters(String key, String value) {
    return new InvalidConfigException(
        "repave.order cannot be kept while "
            + key
            + " is "
            + value
            + ", because a task that writes to many partitions at once sorts its rows again."
            + " Nothing was written. Set it to 0.");
  }

  static InvalidConfigException noFileSystem(String key) {
    return new InvalidConfigException(
        "Spark's writers cannot reach Repave: set spark.hadoop."
            + key
            + "="
            + RepaveFileSystem.class.getName()
            + " before the session starts (repave.configure_session does so).");
  }

  /** {@code problem} continues a sentence that names the class. */
  static InvalidConfigException fallbackProtocol(String name, String problem, Throwable cause) {
    InvalidConfigException error =
        new InvalidConfigException(
            Setting.FALLBACK_PROTOCOL.key()
                + " names "
                + name
                + ", "
                + problem
                + ". Nothing was written. Name the commit protocol for the paths that Repave does"
                + " not manage, or remove the setting to use Spark's own.");
    error.initCause(cause);
    return error;
  }

  static IOException oldFilesNotDeleted(Path folder) {
    return new IOException(
        "The old files of "
            + folder
            + " could not be deleted before the write. Check the permission to delete there, and"
            + " run the job again.");
  }

  static InvalidConfigException tokenOfSession(String key) {
    return new InvalidConfigException(
        key
            + " is set for the whole session, so only the first write to each table would take"
            + " effect. Nothing was written. Set repave.token for each write: as an option"
            + " of it, or in a block of write options (repave.write_options). In an application that"
            + " runs one job, set repave.run instead: it names the job's run.");
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

  static InvalidConfigException tooManyTablesInRun(int tables) {
    return new InvalidConfigException(
        "This application has written to "
            + tables
            + " tables with repave.run, which is the limit. Unset repave.run, or start a new"
            + " application.");
  }

  static InvalidConfigException concurrentWritesInRun(Location table, String run) {
    return new InvalidConfigException(
        "Two writes to "
            + table
            + " run at the same time with repave.run="
            + run
            + ". A repeated run could not distinguish them. Run one after the other, or set a"
            + " repave.token for each write.");
  }

  static InvalidConfigException otherWriteAfterFailure(Location table, String run) {
    return new InvalidConfigException(
        "A write to "
            + table
            + " has failed in the run "
            + run
            + " (repave.run), and this one is not the same write. When the run is repeated, the"
            + " failed write may succeed and take the token of this one, whose rows would then be"
            + " lost. Nothing was written. End the application after a failed write and repeat the"
            + " run. A program that goes on after a failed write needs a repave.token for each of its"
            + " writes from the beginning.");
  }
}
