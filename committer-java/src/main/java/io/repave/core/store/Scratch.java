package io.repave.core.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Room outside the heap, passed in: for lists of files that are too long for memory. */
@FunctionalInterface
public interface Scratch {
  /** A new, empty file that nobody else sees. */
  Sheet create() throws IOException;

  /** One file: written once, then read as often as one likes, gone when it is closed. */
  interface Sheet extends AutoCloseable {
    OutputStream write() throws IOException;

    InputStream read() throws IOException;

    @Override
    void close() throws IOException;
  }
}
