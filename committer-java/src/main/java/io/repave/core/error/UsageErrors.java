package io.repave.core.error;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Messages of requests that cannot be carried out with the given settings or table. */
public final class UsageErrors {
  private UsageErrors() {}

  /** {@code recorded} and {@code requested} are values of {@code repave.readers}. */
  public static InvalidConfigException otherReaders(
      Object table, String recorded, String requested) {
    return new InvalidConfigException(
        "The table "
            + table
            + " is recorded with repave.readers="
            + recorded
            + ", but this job asks for "
            + requested
            + ". The readers of the table would see wrong files. Leave repave.readers out to write as"
            + " the table is recorded, or write to another folder.");
  }

  public static InvalidConfigException folderTooLong(int bytes, int bytesMax) {
    return new InvalidConfigException(
        "The path of the table has "
            + bytes
            + " bytes after the bucket, which leaves too little room for the keys of its records."
            + " Nothing was written. Use a shorter path, of at most "
            + bytesMax
            + " bytes.");
  }

  /** {@code partition} is outside the table, and no setting allows it. */
  public static InvalidConfigException folderNotAllowed(
      String commit, String partition, Object table) {
    return new InvalidConfigException(
        "Commit "
            + commit
            + " names the folder "
            + partition
            + ", which is outside the table "
            + table
            + ". Repave does not change files outside the table because a record says so. If this"
            + " folder belongs to the table, set repave.locations.allowed to it or to a folder above"
            + " it, and run the command again.");
  }

  /** {@code head} is the record that makes {@code other} a table. */
  public static InvalidConfigException partitionInAnotherTable(
      Object table, String partition, Object other, Object head) {
    return new InvalidConfigException(
        "The partition "
            + partition
            + " of the table "
            + table
            + " is inside the folder of another Repave table, "
            + other
            + ". A folder belongs to one table: a vacuum of the other table would delete these files,"
            + " because its records do not name them. Nothing was published. Give the partition a"
            + " location outside that table, or write to that table instead. If that table no"
            + " longer exists, delete "
            + head
            + " first.");
  }

  public static InvalidConfigException partitionInHiddenFolder(Object table, String partition) {
    return new InvalidConfigException(
        "The partition "
            + partition
            + " of the table "
            + table
            + " is below a folder whose name begins with '_' or '.'. Hadoop hides such folders, so"
            + " an overwrite would not find the old files there, and their rows would stay next to"
            + " the new ones. Nothing was published. Move the partition's files to another folder"
            + " and give the partition that location (ALTER TABLE ... PARTITION ... SET LOCATION).");
  }

  /** Neither a HEAD nor a LIST tells whether there is a table. */
  public static InvalidConfigException folderAboveNotReadable(
      Object table, String partition, Object head, Throwable cause) {
    return new InvalidConfigException(
        "Repave cannot find out whether the partition "
            + partition
            + " of the table "
            + table
            + " is inside the folder of another Repave table, because this job may neither read nor"
            + " list "
            + head
            + " ("
            + Cause.of(cause)
            + "). Nothing was published. Allow the job s3:ListBucket on that bucket, and run it"
            + " again.");
  }

  /** {@code outer} is a table above, which readers find by records, with files in the folder. */
  public static InvalidConfigException filesOfAnotherTable(Object folder, Object outer) {
    return new InvalidConfigException(
        folder
            + " has files of the table "
            + outer
            + ", which is read by its records (repave.readers=snapshot, or followers), or an"
            + " unfinished commit of that table writes there. A table of its own in this folder"
            + " would delete these files when it overwrites, and queries of that table would not see"
            + " the new rows. Nothing was written. Write to that table by its path, or to a folder in"
            + " which it has no files."
            + " Files that it has replaced count until repave vacuum deletes them; an unfinished"
            + " commit ends by itself or by repave recover.");
  }

  /** {@code metadata} is a file by which the other table is recognized. */
  public static InvalidConfigException otherFormat(Object folder, String format, Object metadata) {
    return new InvalidConfigException(
        "There is a table of "
            + format
            + " in "
            + folder
            + ", of which Repave has no records ("
            + metadata
            + " exists). Its readers would not see the files of a commit by Repave, and an overwrite"
            + " would delete files that its metadata names. Nothing was changed. Write to that table"
            + " through "
            + format
            + ", or write to another folder. If nobody uses it any more, delete its metadata, and"
            + " the data files that are not part of its newest version.");
  }

  public static InvalidConfigException fileAtFolder(Object folder) {
    return new InvalidConfigException(
        folder
            + " is a file, so no table can be in a folder of that name: readers would see the file or"
            + " the table's rows, never both. Nothing was written. Write to another path, or delete"
            + " the file.");
  }

  public static InvalidConfigException folderOfRecords(Object folder, String name) {
    return new InvalidConfigException(
        folder
            + " cannot be a table: the folder "
            + name
            + " contains the records of a table, which a write would damage. Nothing was written."
            + " Write to the table's folder, or to another path.");
  }

  public static InvalidConfigException nothingToAdopt(Object folder) {
    return new InvalidConfigException(
        "There is no data file and no Repave table in "
            + folder
            + ". Nothing was changed. Check the path; a new table gets its records from the first"
            + " job that writes to it.");
  }

  /** {@code table} is one of the tables in the folder. */
  public static InvalidConfigException onlyInnerTables(Object folder, Object table) {
    return new InvalidConfigException(
        "All data files in "
            + folder
            + " belong to tables below it, such as "
            + table
            + ". Nothing was changed. Name the table itself.");
  }

  public static InvalidConfigException noTableToVacuum(Object folder) {
    return new InvalidConfigException(
        "There is no Repave table in "
            + folder
            + ": the folder has no records in _repave/. Open uploads in it may belong to another"
            + " table that has a partition there. Nothing was deleted or aborted. Check the path; a"
            + " table has records from its first commit on.");
  }

  /** Both times as a reader of the message would compare them: in UTC, with the difference. */
  public static InvalidConfigException clockAhead(
      Object table, long machineMillis, long storeMillis) {
    Duration ahead = Duration.ofMillis(machineMillis - storeMillis);
    String by = ahead.toDays() > 1 ? ahead.toDays() + " days" : ahead.toMinutes() + " minutes";
    return new InvalidConfigException(
        "The clock of this machine is "
            + by
            + " ahead of the store's clock: it says "
            + Instant.ofEpochMilli(machineMillis)
            + ", and the store "
            + Instant.ofEpochMilli(storeMillis)
            + ". A vacuum of "
            + table
            + " by this clock would delete what is younger than the retention. Nothing was deleted."
            + " Correct the clock that is wrong, for example by NTP, and run vacuum again.");
  }

  public static InvalidConfigException noUnfinishedCommit(String commit, Object table) {
    return new InvalidConfigException(
        "The table "
            + table
            + " has no unfinished commit '"
            + commit
            + "'. Nothing was changed. `repave status "
            + table
            + "` lists the unfinished commits.");
  }

  /** Neither the ledger nor the head nor a manifest names the commit's folders. */
  public static InvalidConfigException foldersNotKnown(String commit, Object table) {
    return new InvalidConfigException(
        "The ledger of commit "
            + commit
            + " of "
            + table
            + " is lost, and no other record says in which folders outside the table its files are."
            + " Rows that stay there would be doubled when the job runs again. Nothing was changed."
            + " Set repave.locations.allowed to all folders outside the table that hold partitions of"
            + " it, or to "
            + table
            + " if there are none, and run the command again.");
  }

  public static InvalidConfigException cancelOfPublished(String commit, Object table) {
    return notCancellable(commit, table, "it is published");
  }

  public static InvalidConfigException cancelOfPlanned(String commit, Object table) {
    return notCancellable(commit, table, "it has a manifest");
  }

  private static InvalidConfigException notCancellable(String commit, Object table, String why) {
    return new InvalidConfigException(
        "Commit "
            + commit
            + " of "
            + table
            + " cannot be cancelled: "
            + why
            + ", so old files may have been deleted already. Nothing was changed. Finish it with:"
            + " repave recover "
            + table);
  }

  public static InvalidConfigException snapshotAlreadyAdopted(Object table) {
    return new InvalidConfigException(
        "The table "
            + table
            + " has repave.readers=snapshot. Its first commit adopted the files that existed then;"
            + " other files in its folder are not published and cannot be adopted. Nothing was"
            + " changed.");
  }

  /** Neither rollback nor the manifest of a version is possible without a commit. */
  public static InvalidConfigException noVersions(Object table) {
    return new InvalidConfigException(
        "Repave has not committed to " + table + ": it has no versions. Check the path.");
  }

  public static InvalidConfigException noRecordsToRepair(Object table) {
    return new InvalidConfigException(
        "Repave has not committed to " + table + ": it has no records to repair. Check the path.");
  }

  public static InvalidConfigException noVersionToRepair(Object table) {
    return new InvalidConfigException(
        "No commit to "
            + table
            + " has been published, so it has no history to repair. `repave adopt` adds the files in"
            + " its folders to the records.");
  }

  public static InvalidConfigException rollbackOfListingTable(Object table) {
    return new InvalidConfigException(
        "The table "
            + table
            + " is read by listing (repave.readers=listing): each commit deletes the files that it"
            + " replaces, so earlier versions cannot be restored. Tables with"
            + " repave.readers=snapshot keep replaced files until vacuum.");
  }

  public static InvalidConfigException versionNotKept(
      Object table, long oldest, long newest, long requested) {
    if (newest == 0) {
      return new InvalidConfigException(
          "The table " + table + " has no version yet: none of its commits was published.");
    }
    // 0 is the state before the first version.
    long first = Math.max(1, oldest);
    String kept =
        first == newest ? "only version " + newest : "the versions " + first + " to " + newest;
    return new InvalidConfigException(
        "The table "
            + table
            + " has "
            + kept
            + ", not version "
            + requested
            + "."
            + (requested < oldest
                ? " Vacuum removes versions that were replaced longer ago than repave.retention."
                : ""));
  }

  public static InvalidConfigException noVersion(Object table, long requested, long newest) {
    return new InvalidConfigException(
        "The table " + table + " has no version " + requested + "; its newest is " + newest + ".");
  }

  /** {@code publishedMillis} is when the first version was published; 0 if that is not known. */
  public static InvalidConfigException noVersionYet(
      Object table, long millis, long publishedMillis) {
    String first =
        publishedMillis == 0
            ? ""
            : ": version 1 was published at " + Instant.ofEpochMilli(publishedMillis);
    return new InvalidConfigException(
        table + " had no version yet at " + Instant.ofEpochMilli(millis) + first + ".");
  }

  /** {@code oldest} is the first version that the records still name. */
  public static InvalidConfigException noVersionRecorded(Object table, long millis, long oldest) {
    return new InvalidConfigException(
        table
            + " had no version at "
            + Instant.ofEpochMilli(millis)
            + " that the records still name: they begin with version "
            + oldest
            + ", because vacuum removes what is older than repave.history.retention.");
  }

  public static InvalidConfigException repairOfSnapshotTable(Object table) {
    return new InvalidConfigException(
        "The table "
            + table
            + " has repave.readers=snapshot: its folders also hold replaced and unpublished files, so"
            + " its records cannot be rebuilt from them. Restore the missing records from the"
            + " bucket's older versions.");
  }

  public static InvalidConfigException repairWithUnfinished(Object table) {
    return new InvalidConfigException(
        "The table "
            + table
            + " has unfinished commits, and it is not known whether their files belong to the table."
            + " Nothing was changed. First run: repave recover "
            + table);
  }

  /** Records are lost, and the others do not name the partitions of every commit. */
  public static InvalidConfigException outsideNotKnown(Object table) {
    return new InvalidConfigException(
        "Records of "
            + table
            + " are lost, and no other record says in which folders outside the table its files are."
            + " A repair would take their rows out of the records. Nothing was changed. Set"
            + " repave.locations.allowed to all folders outside the table that hold partitions of"
            + " it, or to "
            + table
            + " if there are none, and run the repair again.");
  }

  /** {@code folders} are those of files that may belong to another table, or the first of them. */
  public static InvalidConfigException outsideOfUnknownCommits(Object table, List<String> folders) {
    return new InvalidConfigException(
        "Records of "
            + table
            + " are lost, and a folder of repave.locations.allowed holds files of commits that no"
            + " record of this table names, in folders such as "
            + String.join(", ", folders)
            + ". They may belong to other tables, and a repair would record their rows in this one."
            + " Nothing was changed. Set repave.locations.allowed, for this repair, to each folder"
            + " outside the table that is a partition of it, and to no folder around these, or to "
            + table
            + " if there are none, and run the repair again.");
  }

  public static InvalidConfigException tooManyOutside(Object table, int most) {
    return new InvalidConfigException(
        "The records of "
            + table
            + " name more than "
            + most
            + " partitions outside the table, which is more than an adoption or a repair lists."
            + " Nothing was changed. Remove partitions that are not needed with an overwrite, and run"
            + " the command again.");
  }

  /** {@code followers} are their kinds, as the command line calls them. */
  public static InvalidConfigException repairWithFollowers(Object table, List<String> followers) {
    return new InvalidConfigException(
        "The table "
            + table
            + " has followers ("
            + String.join(", ", followers)
            + "), and a repair changes the files of a version that they have reached, so they would"
            + " keep the old list. Nothing was changed. Switch them off (repave follow "
            + table
            + " --off "
            + followers.get(0)
            + "), run the repair, and switch them on again.");
  }
}
