package io.repave.core.store;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/** The port that knows formats of data files: it counts rows by the end of a file. */
@FunctionalInterface
public interface RowCounter {
  /** The bytes of a file, as far as they are at hand. */
  interface FileEnd {
    /** The size of the file. */
    long bytes();

    /** Some bytes, of which the first is {@code fromEnd} bytes before the end, if at hand. */
    Optional<byte[]> read(long fromEnd, int length) throws IOException;
  }

  /** The number of rows; empty when the format does not tell it, or bytes are not at hand. */
  OptionalLong rows(FileEnd file) throws IOException;
}
