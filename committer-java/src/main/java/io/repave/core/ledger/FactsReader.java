package io.repave.core.ledger;

import java.io.IOException;
import java.util.Optional;

/** The port that knows formats of data files: it reads the facts of a file from its end. */
@FunctionalInterface
public interface FactsReader {
  /** The bytes of a file, as far as they are at hand. */
  interface FileEnd {
    /** The size of the file. */
    long bytes();

    /** Some bytes, of which the first is {@code fromEnd} bytes before the end, if at hand. */
    Optional<byte[]> read(long fromEnd, int length) throws IOException;
  }

  /** No facts when the format does not have them, or when bytes are not at hand. */
  FileFacts read(FileEnd file) throws IOException;
}
