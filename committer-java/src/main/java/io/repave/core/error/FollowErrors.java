package io.repave.core.error;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/** Why a follower cannot follow. The table itself is not affected. */
public final class FollowErrors {
  private static final String NO_MANIFESTS =
      " Symlink manifests cannot describe such a table. If it has them, switch them off: repave"
          + " follow <table> --off symlink";

  private static final int PARTITIONS_SHOWN = 10;

  private FollowErrors() {}

  /** {@code kind} is the follower's, as a command names it. */
  public static InvalidRecordException outsideOfCatalog(
      String partition, Object table, String kind) {
    String problem = "The partition " + partition + " is outside the folder of " + table;
    return new InvalidRecordException(
        problem
            + ", so a catalog cannot follow the table. If one does, switch it off: repave follow "
            + table
            + " --off "
            + kind);
  }

  public static InvalidRecordException outsideOfSymlinks(String partition) {
    return new InvalidRecordException(
        "The partition "
            + partition
            + " is outside the table's folder, and symlink manifests have a folder for partitions"
            + " inside it only. Other readers are not affected."
            + NO_MANIFESTS);
  }

  public static InvalidRecordException lineBreak(Object file) {
    return new InvalidRecordException(
        "The name of the file "
            + file
            + " has a line break, and a symlink manifest names one file in each line."
            + NO_MANIFESTS);
  }

  public static InvalidRecordException manifestTooLarge(String partition, long bytesMax) {
    return new InvalidRecordException(
        "The symlink manifest of the partition '"
            + partition
            + "' would be larger than "
            + bytesMax
            + " bytes. Write fewer and larger files to it.");
  }

  public static IOException manifestsNotWritten(Object table, int partitions) {
    return new IOException(
        "The symlink manifests of "
            + partitions
            + " partitions of "
            + table
            + " could not be written: the store gave no clear answer, or other processes wrote them"
            + " again and again. To try again, run: repave sync "
            + table);
  }

  /** {@code name} is that of the table in a catalog. */
  public static IOException begunAgain(Object table, String name) {
    return new IOException(
        "Another process has let "
            + name
            + " follow "
            + table
            + " again while this one updated its partition locations, perhaps in another catalog. If"
            + " it is this catalog's table that follows, RepaveTable.sync() updates them.");
  }

  /** {@code name} is that of the table in a catalog. */
  public static IOException overtaken(Object table, String name) {
    return new IOException(
        "Other processes commit to "
            + table
            + " and update the locations of "
            + name
            + " again and again, so some of them may be older. The next commit, or"
            + " RepaveTable.sync(), updates all of them.");
  }

  /** {@code name} is that of the table in a catalog of this kind. */
  public static CommitFailedException appended(
      String commit, Object table, String kind, String name, List<String> partitions) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " would append to partitions of "
            + table
            + " that have files: "
            + shown(partitions)
            + ". The "
            + kind
            + " table "
            + name
            + " follows the table, and there a partition is one folder. Nothing was published, and"
            + " the table is as it was. Overwrite the partitions with all of their rows, or append to"
            + " new partitions only, or stop following: repave follow "
            + table
            + " --off "
            + kind);
  }

  public static CommitFailedException plainFile(String commit, Object table, String name) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " has written "
            + name
            + " into a folder of "
            + table
            + " that older versions use too, and a catalog follows the table. Nothing was published,"
            + " and the table is as it was. Write with Spark's DataFrames or SQL.");
  }

  public static InvalidRecordException twoFolders(Object table, List<String> partitions) {
    return new InvalidRecordException(
        "The files of a partition of "
            + table
            + " are in more than one folder, and a catalog has one location for it: "
            + shown(partitions)
            + ". Jobs appended to it while no catalog followed. Overwrite these partitions; then the"
            + " catalog can follow.");
  }

  /** A warning after a rollback; {@code name} is that of the table in a catalog. */
  public static String plainAgain(String name, List<String> partitions) {
    return "A rollback has put "
        + partitions.size()
        + " partitions of "
        + name
        + " back into their plain folders, in which later commits may have folders of their own: "
        + shown(partitions)
        + ". Readers that also list the folders inside a location, as Athena does, read rows of"
        + " several versions there. Hive and Spark's Hive reader fail on such a folder ('Not a file')."
        + " Overwrite these partitions before such readers use the table.";
  }

  /** Columns differ in case only, which is no difference for a catalog. */
  public static InvalidRecordException onePartition(String name, String one, String other) {
    return new InvalidRecordException(
        "The folders "
            + one
            + " and "
            + other
            + " are one partition of the catalog's table "
            + name
            + ", because catalogs know a partition by its values. Nothing was changed in the catalog."
            + " Write the rows of both to one of them.");
  }

  public static InvalidConfigException unusedLocations(String name) {
    return new InvalidConfigException(
        "Spark lists the folder of the catalog's table "
            + name
            + " and does not read the locations of its partitions, because the table was created"
            + " with spark.sql.hive.manageFilesourcePartitions=false. Nothing was changed in the"
            + " catalog. If that table is external, drop it, then call RepaveTable.follow(\""
            + name
            + "\"): it creates the table. DROP TABLE of a managed table deletes its files: follow by"
            + " another name instead.");
  }

  public static InvalidConfigException catalogFollowsListing(Object table) {
    return new InvalidConfigException(
        "The readers of "
            + table
            + " list its folders, and its replaced files are deleted at once, so a catalog's"
            + " locations cannot name a version of it. Nothing was changed. Only a table with"
            + " repave.readers=snapshot can be followed by a catalog.");
  }

  public static InvalidConfigException otherCatalogTable(Object table, String kind, String name) {
    return new InvalidConfigException(
        "The table "
            + table
            + " is followed by the "
            + kind
            + " table "
            + name
            + " already. Nothing was changed. To follow by another one, stop this one first: repave"
            + " follow "
            + table
            + " --off "
            + kind);
  }

  public static InvalidConfigException badCatalogName(String name) {
    return new InvalidConfigException(
        "'"
            + name
            + "' is not the name of a table in a catalog. Give its database too, such as lake.sales.");
  }

  public static InvalidConfigException notACatalog(String kind) {
    return new InvalidConfigException(
        "A follower of the kind " + kind + " is not in a catalog, and takes no name.");
  }

  public static InvalidConfigException needsName(String kind) {
    return new InvalidConfigException(
        "A follower of the kind " + kind + " needs the name of the table in the catalog.");
  }

  public static String farBehind(Object table, long versions) {
    return "It is "
        + versions
        + " versions behind, which is too many for a commit to write. Its readers see an older"
        + " version. Only every 200th commit tries again. To bring it forward now, run: repave sync "
        + table
        + ". If that fails, it says what has stopped the follower.";
  }

  public static String triedAgain(IOException cause) {
    return Cause.of(cause) + ". The next commit or `repave sync` tries again.";
  }

  public static InvalidConfigException notFollowed(Object table, String kind) {
    return new InvalidConfigException(
        "No " + kind + " follows the table " + table + ". Nothing was changed.");
  }

  /** A listing of a partition's folder would show files that are not of the version. */
  public static InvalidConfigException otherFilesRemain(Object table, long files, long version) {
    return new InvalidConfigException(
        "The folders of "
            + table
            + " have "
            + files
            + " data files that do not belong to version "
            + version
            + ", and readers of a catalog would read them as rows. Nothing was changed. When no query"
            + " reads an older version and no job is running, run: repave vacuum "
            + table
            + " --retention 0s; then follow again. Vacuum keeps files of other programs: move those away"
            + " yourself.");
  }

  private static String shown(List<String> partitions) {
    String first =
        partitions.stream()
            .limit(PARTITIONS_SHOWN)
            .map(it -> it.isEmpty() ? "the table's own folder" : it)
            .collect(Collectors.joining(", "));
    int more = partitions.size() - PARTITIONS_SHOWN;
    return more > 0 ? first + " and " + more + " more" : first;
  }

  public static InvalidConfigException manifestsExist(Object folder) {
    return new InvalidConfigException(
        "There are symlink manifests in "
            + folder
            + " already. Nothing was changed. If another program writes them, stop it. Then delete"
            + " the folder and run the command again.");
  }

  public static InvalidConfigException ending(Object table, String follower) {
    return new InvalidConfigException(
        "The follower "
            + follower
            + " of "
            + table
            + " is being switched off. Nothing was changed. First run: repave follow "
            + table
            + " --off "
            + follower);
  }

  public static InvalidConfigException notEnded(Object table, String follower) {
    return new InvalidConfigException(
        "The follower "
            + follower
            + " of "
            + table
            + " is being switched off, and nothing brings it to the table's version any more. Its"
            + " readers see old rows. Other followers are at the table's version. To end it, run:"
            + " repave follow "
            + table
            + " --off "
            + follower);
  }
}
