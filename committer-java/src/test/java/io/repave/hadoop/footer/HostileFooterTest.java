package io.repave.hadoop.footer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.repave.core.ledger.FactsReader;
import io.repave.core.ledger.FileFacts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Footers in Thrift's compact protocol whose few bytes stand for many objects. An adoption reads
 * the footers of files that anybody may have written, a hundred at once.
 */
class HostileFooterTest {
  private static final int FOOTER_BYTES = 4 << 20;
  private static final long ALLOCATED_MAX = 64 << 20;

  private static final String SCHEMA = "29";
  private static final String SEVEN_ROWS = "160e";
  private static final String END = "00";

  @ParameterizedTest
  @CsvSource({
    "elements of a schema, 29, 00",
    "elements with an empty name, 29, 480000",
    "row groups, 49, 00",
    "pairs of a key and a value, 59, 00",
    "orders of columns, 79, 1c0000"
  })
  void aLongListTakesLittleMemory(String what, String field, String each) throws IOException {
    int size = (FOOTER_BYTES - 16) / (each.length() / 2);

    assertThat(allocated(list(field, size, each) + END)).as(what).isLessThan(ALLOCATED_MAX);
  }

  @Test
  void theLargestSchemaTakesLittleMemoryToo() throws IOException {
    String footer = schema(ParquetColumn.ELEMENTS_MAX) + SEVEN_ROWS + END;

    assertThat(read(bytes(footer)).rows()).isEqualTo(OptionalLong.of(7));
    assertThat(allocated(footer)).isLessThan(ALLOCATED_MAX);
  }

  @Test
  void aLargerSchemaGivesNoFacts() throws IOException {
    String footer = schema(ParquetColumn.ELEMENTS_MAX + 1) + SEVEN_ROWS + END;

    assertThat(read(bytes(footer))).isEqualTo(FileFacts.NONE);
  }

  /** A group with columns of the type INT32 and without a name. */
  private static String schema(int elements) {
    String group = "4800" + "15" + varint(2 * (elements - 1)) + END;
    return SCHEMA + "fc" + varint(elements) + group + "1502380000".repeat(elements - 1);
  }

  private static String list(String field, int size, String each) {
    return field + "fc" + varint(size) + each.repeat(size);
  }

  private static String varint(int number) {
    ByteArrayOutputStream groups = new ByteArrayOutputStream();
    int left = number;
    for (; left >= 0x80; left >>>= 7) {
      groups.write(left & 0x7F | 0x80);
    }
    groups.write(left);
    return HexFormat.of().formatHex(groups.toByteArray());
  }

  private static byte[] bytes(String footer) {
    return HexFormat.of().parseHex(footer);
  }

  private static long allocated(String text) throws IOException {
    byte[] footer = bytes(text);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    read(footer);
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private static FileFacts read(byte[] footer) throws IOException {
    byte[] magic = "PAR1".getBytes(StandardCharsets.US_ASCII);
    ByteBuffer file =
        ByteBuffer.allocate(footer.length + 12)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(magic)
            .put(footer)
            .putInt(footer.length)
            .put(magic);
    return ParquetFooter.read(new End(file.array()));
  }

  private record End(byte[] file) implements FactsReader.FileEnd {
    @Override
    public long bytes() {
      return file.length;
    }

    @Override
    public Optional<byte[]> read(long fromEnd, int length) {
      int from = (int) (file.length - fromEnd);
      return Optional.of(Arrays.copyOfRange(file, from, from + length));
    }
  }
}
