package io.repave.hadoop.footer;

import io.repave.core.ledger.FactsReader;
import io.repave.core.ledger.FileFacts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.apache.orc.impl.ReaderImpl;

/**
 * Reads the number of rows from the end of an ORC file, by ORC's own reader. Spark has it on its
 * class path; a caller without it gets a {@link LinkageError}.
 *
 * <p>Only for files that this process wrote: the reader believes the sizes that a file states.
 */
public final class OrcFooter {
  private static final byte[] MAGIC = "ORC".getBytes(StandardCharsets.US_ASCII);

  /** The footer and what follows it; most are of a few hundred bytes. */
  private static final int[] READ_BYTES = {4 << 10, 64 << 10, 1 << 20};

  private OrcFooter() {}

  /** Whether a file that begins with these bytes may be an ORC file. */
  public static boolean isBegun(byte[] start) {
    return start.length >= MAGIC.length && Arrays.equals(MAGIC, Arrays.copyOf(start, MAGIC.length));
  }

  /** The number of rows, if the footer is within the bytes that can be read. */
  @SuppressWarnings("deprecation") // ORC offers no other way to read a footer from memory.
  public static FileFacts read(FactsReader.FileEnd file) throws IOException {
    for (int most : READ_BYTES) {
      int length = (int) Math.min(most, file.bytes());
      Optional<byte[]> end = file.read(length, length);
      if (end.isEmpty()) {
        return FileFacts.NONE;
      }
      try {
        return FileFacts.ofRows(
            ReaderImpl.extractFileTail(ByteBuffer.wrap(end.get())).getFooter().getNumberOfRows());
      } catch (IOException | RuntimeException tooShort) {
        // The footer may begin earlier.
        if (length == file.bytes()) {
          return FileFacts.NONE;
        }
      }
    }
    return FileFacts.NONE;
  }
}
