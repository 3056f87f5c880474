package io.repave.core.record;

import java.util.Arrays;
import java.util.Optional;

/** The kinds of followers. A process that does not know one of a table's followers refuses it. */
public enum FollowerKind {
  /** A Delta log in the table's folder. */
  DELTA("_delta_log"),

  /** A list of files for each partition, which Hive's {@code SymlinkTextInputFormat} reads. */
  SYMLINK("_symlink_format_manifest"),

  /** The locations of a table's partitions in a Hive metastore. */
  METASTORE(""),

  /** The same in the Data Catalog of AWS Glue, by a client that Python has. */
  GLUE("");

  private final String folder;

  FollowerKind(String folder) {
    this.folder = folder;
  }

  /**
   * True when the pointer is in a catalog. Only a process with a client of that catalog updates it,
   * and the catalog knows one folder of each partition.
   */
  public boolean isCatalog() {
    return this == METASTORE || this == GLUE;
  }

  /** The folder of its pointer, in the table's folder. Readers that list skip its name. */
  public String folder() {
    if (isCatalog()) {
      throw new IllegalStateException(label() + " has no folder in the table");
    }
    return folder;
  }

  /** The follower with a name; empty when there is none. */
  public static Optional<FollowerKind> of(String label) {
    return Arrays.stream(values()).filter(it -> it.label().equals(label)).findFirst();
  }

  /** The name in records and settings. */
  public String label() {
    return Labels.of(this);
  }
}
