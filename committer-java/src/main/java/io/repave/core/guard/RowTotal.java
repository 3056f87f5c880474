package io.repave.core.guard;

import java.util.Optional;
import java.util.OptionalLong;

/** The rows of some files. It is unknown as soon as those of one file are. */
final class RowTotal {
  private long rows;
  private Optional<String> uncounted = Optional.empty();

  /** {@code file} names the file in messages. */
  void add(String file, OptionalLong more) {
    if (more.isEmpty()) {
      uncounted = uncounted.or(() -> Optional.of(file));
    } else {
      rows = Math.addExact(rows, more.getAsLong());
    }
  }

  /** The rows of the files that tell it. */
  long rows() {
    return rows;
  }

  /** A file whose number of rows is unknown. */
  Optional<String> uncounted() {
    return uncounted;
  }
}
