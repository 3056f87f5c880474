package io.repave.core.record;

import java.util.Arrays;
import java.util.Optional;

/** The kinds of followers. A process that does not know one of a table's followers refuses it. */
public enum FollowerKind {
  /** A Delta log in the table's folder. */
  DELTA;

  /** The follower with a name; empty when there is none. */
  public static Optional<FollowerKind> of(String label) {
    return Arrays.stream(values()).filter(it -> it.label().equals(label)).findFirst();
  }

  /** The name in records and settings. */
  public String label() {
    return Fields.kebab(this);
  }
}
