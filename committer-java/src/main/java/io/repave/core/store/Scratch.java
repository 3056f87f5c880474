package io.repave.core.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Temporary files, for lists of files that are too long for memory; it is passed in. */
@FunctionalInterface
public interface Scratch {
  /** Creates a new, empty, private file. */
  TempFile create() throws IOException;

  /** A file that is written once and read any number of times; closing it deletes it. */
  interface TempFile extends AutoCloseable {
    OutputStream write() throws IOException;

    InputStream read() throws IOException;

    @Override
    void close() throws IOException;
  }
}
