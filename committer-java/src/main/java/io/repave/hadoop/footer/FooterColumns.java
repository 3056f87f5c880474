package io.repave.hadoop.footer;

import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.store.RowCounter;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Reads the columns of a stored Parquet file from its footer. Requests: 2 or 3 GETs of ranges. */
public final class FooterColumns {
  private FooterColumns() {}

  /** The JSON of the file's columns; empty when the file does not tell them. */
  public static Optional<String> of(FileSystem files, Path path, long bytes) throws IOException {
    try (FSDataInputStream in = files.open(path)) {
      FileFacts facts =
          ParquetFooter.read(
              new RowCounter.FileEnd() {
                @Override
                public long bytes() {
                  return bytes;
                }

                @Override
                public Optional<byte[]> read(long fromEnd, int length) throws IOException {
                  byte[] content = new byte[length];
                  in.readFully(bytes - fromEnd, content);
                  return Optional.of(content);
                }
              },
              StatsColumns.NONE);
      return facts.schema().map(Schema::json);
    }
  }
}
