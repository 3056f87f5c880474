package io.repave.core.snapshot;

import io.repave.core.engine.FileSink;
import io.repave.core.record.FileEntry;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Optional;

/** A stream of files of a table, sorted by partition and name. */
@FunctionalInterface
public interface FileStream {
  /** No files. */
  FileStream EMPTY = Optional::empty;

  /** A stream of files that are already sorted. */
  static FileStream of(Iterator<Placed> files) {
    return () -> files.hasNext() ? Optional.of(files.next()) : Optional.empty();
  }

  /** A file and its partition. */
  record Placed(String partition, FileEntry file) {
    /** The order of a stream: by partition, then by name, each by its UTF-8 bytes. */
    static final Comparator<Placed> ORDER =
        Comparator.comparing(Placed::partition, Utf8Order.KEYS)
            .thenComparing(placed -> placed.file().name(), Utf8Order.KEYS);

    boolean isAt(Placed other) {
      return ORDER.compare(this, other) == 0;
    }
  }

  /** The next file; empty at the end. */
  Optional<Placed> next() throws IOException, InterruptedException;

  /** Passes on all files. */
  default void each(FileSink sink) throws IOException, InterruptedException {
    for (Optional<Placed> next = next(); next.isPresent(); next = next()) {
      sink.file(next.get().partition(), next.get().file());
    }
  }
}
