package io.repave.testing;

import io.repave.core.store.RowFileFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Writes the rows of a file as they are, so that a test can read them without Parquet. */
public final class JsonLines implements RowFileFormat {
  public static final RowFileFormat FORMAT = new JsonLines();

  private JsonLines() {}

  @Override
  public RowFile begin(String schema, int bytesMax) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    return new RowFile() {
      @Override
      public void add(byte[] json) throws IOException {
        bytes.write(json);
      }

      @Override
      public byte[] end() {
        return bytes.toByteArray();
      }

      @Override
      public void close() {}
    };
  }
}
