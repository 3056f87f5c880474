package io.repave.core.record;

import java.util.Arrays;
import java.util.Optional;

/** The kinds of followers. A process that does not know one of a table's followers refuses it. */
public enum FollowerKind {
  /** A Delta log in the table's folder. */
  DELTA("_delta_log"),

  /** A list of files for each partition, which Hive's {@code SymlinkTextInputFormat} reads. */
  SYMLINK("_symlink_format_manifest");

  private final String folder;

  FollowerKind(String folder) {
    this.folder = folder;
  }

  /** The folder of its pointer, in the table's folder. Readers that list skip its name. */
  public String folder() {
    return folder;
  }

  /** The follower with a name; empty when there is none. */
  public static Optional<FollowerKind> of(String label) {
    return Arrays.stream(values()).filter(it -> it.label().equals(label)).findFirst();
  }

  /** The name in records and settings. */
  public String label() {
    return Fields.kebab(this);
  }
}
