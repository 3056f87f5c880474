package io.repave.core.store;

import java.io.Closeable;
import java.io.IOException;

/** The port that writes rows as a Parquet file. */
public interface RowFileFormat {
  /** A process without a library that writes such files. */
  RowFileFormat ABSENT =
      (schema, bytesMax) -> {
        throw new IOException("parquet-hadoop is not on the class path.");
      };

  /** A file that is being written. */
  interface RowFile extends Closeable {
    /** Adds a row: a JSON object with members of the schema; what is left out is null. */
    void add(byte[] json) throws IOException;

    /** Ends the file and returns it. */
    byte[] end() throws IOException;

    /** Frees what the file holds; it need not have been ended. */
    @Override
    void close();
  }

  /**
   * Begins a file with the columns of a Parquet schema. It fails when no library is there, or when
   * the file becomes larger than {@code bytesMax}.
   */
  RowFile begin(String schema, int bytesMax) throws IOException;
}
