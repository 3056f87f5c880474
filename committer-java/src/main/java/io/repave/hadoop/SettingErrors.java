package io.repave.hadoop;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.read.StorePath;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** The errors of settings and of Hadoop's configuration. Each says which value to change. */
final class SettingErrors {
  private SettingErrors() {}

  /** {@code key} is as the user wrote it, {@code near} a setting that the user may mean. */
  static InvalidConfigException unknown(
      String key, Optional<String> near, Collection<String> known) {
    return new InvalidConfigException(
        "There is no setting "
            + key
            + near.map(each -> ". Did you mean " + each + "?")
                .orElse(". There are: " + String.join(", ", known)));
  }

  /** {@code name} is the setting without Spark's prefix. */
  static InvalidConfigException givenTooLate(String key, String value, String name) {
    return new InvalidConfigException(
        key
            + " is '"
            + value
            + "', but it was set after Spark had started, or as an option of a write. Spark passes"
            + " the prefix spark.hadoop. on only when it starts, so the setting would have no"
            + " effect. Nothing was written. Set "
            + name
            + " instead (spark.conf.set, SET, or the option of a write), and unset "
            + key
            + ".");
  }

  static InvalidConfigException noOption(String key) {
    return new InvalidConfigException(
        key + " is not an option of Repave: their names begin with repave.");
  }

  static InvalidConfigException emptyName(Setting setting) {
    return new InvalidConfigException(
        setting.key()
            + " is empty, so a repeated write would not be recognized, and its rows would be there"
            + " twice. Nothing was written. Check the variable that should hold the value, or leave"
            + " the setting out.");
  }

  static InvalidConfigException wrongForm(Setting setting, String value) {
    String form =
        setting.kind() == Setting.Kind.CHOICE
            ? "one of " + String.join(", ", setting.choices())
            : setting.kind().form();
    return wrong(setting, value, "not " + form);
  }

  static InvalidConfigException outOfRange(Setting setting, String value) {
    return wrong(setting, value, "outside its range, " + setting.range());
  }

  private static InvalidConfigException wrong(Setting setting, String value, String what) {
    return new InvalidConfigException(
        setting.key()
            + " is '"
            + value
            + "', which is "
            + what
            + ". Its default is '"
            + setting.fallback()
            + "'.");
  }

  static InvalidConfigException memoryBelowTwoParts(String memory, String part) {
    return new InvalidConfigException(
        "repave.upload.memory ("
            + memory
            + ") must be at least twice repave.part.size ("
            + part
            + "). Raise the memory or lower the part size.");
  }

  static InvalidConfigException tooManyStatsColumns(int count, int most) {
    return new InvalidConfigException(
        "repave.stats.columns names "
            + count
            + " columns, and at most "
            + most
            + " may have bounds. Nothing was written. Name the columns that readers filter by.");
  }

  static InvalidConfigException nestedStatsColumn(String name) {
    return new InvalidConfigException(
        "repave.stats.columns names '"
            + name
            + "', but bounds are recorded of columns at the top of the schema only, and of none"
            + " whose name has a dot. Nothing was written. Remove this name.");
  }

  static InvalidConfigException noOrder(String value) {
    return new InvalidConfigException(
        "repave.order is '"
            + value
            + "', which is not like id, ts desc nulls last: different columns at the top of the"
            + " schema, at most 8, each with asc or desc and nulls first or nulls last if need be."
            + " Write a name with spaces, dots or commas in backticks. Nothing was written.");
  }

  static InvalidConfigException noScheme(String value) {
    return new InvalidConfigException(
        "repave.schemes names '"
            + value
            + "', which is not a scheme such as s3a. Nothing was written. Write schemes without ://"
            + " and put commas between them.");
  }

  static InvalidConfigException noSchemes(String value) {
    return new InvalidConfigException(
        "repave.schemes is '"
            + value
            + "', which names no scheme, so Repave would commit no write. Nothing was written. Leave"
            + " the setting out, or switch Repave off with repave.enabled=false.");
  }

  static InvalidConfigException excludeHasPattern(String value) {
    return new InvalidConfigException(
        "repave.exclude names '"
            + value
            + "', but it takes no patterns, so nothing would be excluded. Nothing was written. Name"
            + " each bucket or folder.");
  }

  static InvalidConfigException excludeNamesNoFolder(String value) {
    return new InvalidConfigException(
        "repave.exclude names '"
            + value
            + "', which is not like s3://bucket or s3://bucket/folder. Nothing was written.");
  }

  static InvalidConfigException allowedNamesNoFolder(String value) {
    return new InvalidConfigException(
        "repave.locations.allowed names '" + value + "', which is not like s3://bucket/folder.");
  }

  /** {@code name} is the part of the value that names no partition. */
  static InvalidConfigException onlyNamesNoPartition(String value, String name) {
    return new InvalidConfigException(
        "repave.only is '"
            + value
            + "', in which '"
            + name
            + "' is not like dt=2026-11-20 or dt=2026-11-20/h=3. Write a comma in a value as %2C and"
            + " a slash as %2F. Nothing was written.");
  }

  static InvalidConfigException unknownFollower(String value) {
    return new InvalidConfigException(
        "repave.followers names '" + value + "'. The followers are delta and symlink.");
  }

  static InvalidConfigException unmanagedScheme(String path, String schemes) {
    return new InvalidConfigException(
        path
            + " is not on a file system that Repave manages. repave.schemes lists "
            + schemes
            + ". Add the scheme there, or use a path with one of these.");
  }

  static InvalidConfigException pinnedTarget(Path path) {
    return new InvalidConfigException(
        path
            + " names one version, and versions never change. Nothing was written. Write to the"
            + " path without /@v…. If MSCK REPAIR TABLE wrote this location into a catalog, drop"
            + " the table there and register it again with RepaveTable.register.");
  }

  static InvalidConfigException folderOfVersion(String scheme, Location folder) {
    String table = StorePath.text(scheme, folder.parent());
    return new InvalidConfigException(
        StorePath.text(scheme, folder)
            + " cannot be a table: its repave:// path names a version of "
            + table
            + ", so readers of that path would not see its rows. Nothing was written. Write to "
            + table
            + ", or to a folder that does not begin with @.");
  }

  static InvalidConfigException streamingSink(Location folder) {
    return new InvalidConfigException(
        folder
            + " is written by a streaming query: Spark reads only the files that its"
            + " _spark_metadata lists, so the rows of a batch write would never be visible. Write to"
            + " another folder, or delete _spark_metadata once the query has ended permanently.");
  }

  static IOException noFileSystem(String scheme, IOException cause) {
    return new IOException(
        cause.getMessage()
            + ". Set fs."
            + scheme
            + ".impl to org.apache.hadoop.fs.s3a.S3AFileSystem, or take "
            + scheme
            + " out of repave.schemes",
        cause);
  }

  static IOException noSpillFolder(String key, String folders, IOException cause) {
    return new IOException(
        "A part of a file does not fit into the upload memory, and none of the folders of "
            + key
            + " ("
            + folders
            + ") has room for it. Free space there, set repave.upload.spill to another folder, or"
            + " raise repave.upload.memory.",
        cause);
  }
}
