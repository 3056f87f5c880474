package io.repave.hadoop.read;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.Path;

/**
 * The errors of readers. Each names the problem, its cause and what to do.
 *
 * <p>Spark treats a {@link FileNotFoundException} in a listing as a partition without rows. So a
 * version that cannot be read is another kind of error.
 */
final class ReadErrors {
  private ReadErrors() {}

  static IllegalArgumentException noBucket(Path path) {
    return new IllegalArgumentException(
        path + " names no bucket. Use a path such as s3a://bucket/folder.");
  }

  static IllegalArgumentException noMoment(String text, Exception cause) {
    return new IllegalArgumentException(
        "'" + text + "' is not a time. Write one such as @2026-11-20T03:00Z.", cause);
  }

  static FileNotFoundException notPublished(Location file) {
    return new FileNotFoundException(
        file
            + " is not part of the table's published version. If the query listed it, another commit"
            + " has replaced it since: run the query again.");
  }

  static NotInVersionException notInVersion(Location file, Location table, long version) {
    return new NotInVersionException(
        file
            + " is not in version "
            + version
            + " of "
            + table
            + ". `repave files` lists the files of that version.");
  }

  static IOException goneSinceListed(Path file, FileNotFoundException cause) {
    return new IOException(
        file
            + " is gone: since this query listed it, a commit has replaced it, or vacuum has removed"
            + " it. Run the query again.",
        cause);
  }

  static IOException anotherTable(Location table, long version) {
    return new IOException(
        "The table in "
            + table
            + " was dropped and created again after version "
            + version
            + " was listed, so the listed files are gone. Run the query again.");
  }

  static InvalidConfigException noVersions(Location table, String pin) {
    return new InvalidConfigException(
        table
            + " has no versions, because Repave has not written it. Check the path, or read it"
            + " without @"
            + pin
            + ".");
  }

  static InvalidConfigException noRecords() {
    return new InvalidConfigException(
        "A folder has no versions, because Repave has not written it. Check the path, or read it"
            + " without @….");
  }

  static InvalidConfigException listingTableKeepsNoVersions(Location table, String pin) {
    return new InvalidConfigException(
        table
            + " keeps no earlier versions: it is written for readers that list folders"
            + " (repave.readers=listing), so replaced files are deleted. Read it without @"
            + pin
            + ".");
  }

  static IOException changedDuringListings(int listings) {
    return new IOException(
        "The table changed during each of "
            + listings
            + " listings. Read it again when fewer jobs commit, or write it with"
            + " repave.readers=snapshot.");
  }
}
