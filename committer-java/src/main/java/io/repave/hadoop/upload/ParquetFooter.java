package io.repave.hadoop.upload;

import io.repave.core.ledger.FileFacts;
import io.repave.core.store.RowCounter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Reads the number of rows from the end of a Parquet file: {@code <footer> <its length, 4 bytes>
 * PAR1}. Any other bytes give no facts. The file of an encrypted footer ends with {@code PARE}.
 *
 * <p>The classes of Parquet are not used, because jobs without them write files too (ADR 0044).
 */
public final class ParquetFooter {
  static final int MAGIC_BYTES = 4;

  private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
  private static final int TRAILER_BYTES = 4 + MAGIC_BYTES;

  /** The number of rows follows the schema, and the row groups follow it. They are not read. */
  private static final int READ_BYTES_MAX = 1 << 20;

  private ParquetFooter() {}

  /** Whether a file that begins with these bytes may be a Parquet file. */
  static boolean isBegun(byte[] start) {
    return Arrays.equals(MAGIC, start);
  }

  /** What the footer tells; nothing when its bytes are not at hand or are not Parquet's. */
  public static FileFacts read(RowCounter.FileEnd file) throws IOException {
    if (file.bytes() < MAGIC_BYTES + TRAILER_BYTES) {
      return FileFacts.NONE;
    }
    Optional<byte[]> end = file.read(TRAILER_BYTES, TRAILER_BYTES);
    if (end.isEmpty()) {
      return FileFacts.NONE;
    }
    ByteBuffer trailer = ByteBuffer.wrap(end.get()).order(ByteOrder.LITTLE_ENDIAN);
    int length = trailer.getInt();
    boolean marked = trailer.equals(ByteBuffer.wrap(MAGIC));
    if (!marked || length <= 0 || length > file.bytes() - MAGIC_BYTES - TRAILER_BYTES) {
      return FileFacts.NONE;
    }
    int read = Math.min(length, READ_BYTES_MAX);
    Optional<byte[]> footer = file.read((long) TRAILER_BYTES + length, read);
    return footer.isEmpty() ? FileFacts.NONE : rows(footer.get());
  }

  /** {@code FileMetaData} is 1: version, 2: schema, 3: number of rows, and more. */
  private static FileFacts rows(byte[] footer) {
    CompactThrift thrift = new CompactThrift(footer);
    try {
      if (thrift.field() != 1 || thrift.type() != CompactThrift.I32) {
        return FileFacts.NONE;
      }
      thrift.skip();
      if (thrift.field() != 2 || thrift.type() != CompactThrift.LIST) {
        return FileFacts.NONE;
      }
      thrift.skip();
      if (thrift.field() != 3 || thrift.type() != CompactThrift.I64) {
        return FileFacts.NONE;
      }
      return FileFacts.ofRows(thrift.number());
    } catch (CompactThrift.DamagedException damaged) {
      return FileFacts.NONE;
    }
  }
}
