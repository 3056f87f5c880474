package io.repave.core.listing;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Progress;
import io.repave.core.engine.TableContext;
import io.repave.core.ledger.FactsReader;
import io.repave.core.ledger.FileFacts;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rows of a file cost one ranged GET, or two when its footer is large. */
class StoredFactsTest {
  private static final long ROWS = 42;

  private final TestTable table = new TestTable();
  private final Location at = table.paths.root().resolve("dt=1/a.parquet");

  /** The last 4 bytes say how long the footer is; its first byte is the number of rows. */
  private static FileFacts firstByteOfFooter(FactsReader.FileEnd file) throws IOException {
    Optional<byte[]> length = file.read(4, 4);
    if (length.isEmpty()) {
      return FileFacts.NONE;
    }
    int bytes = ByteBuffer.wrap(length.get()).getInt();
    Optional<byte[]> footer = file.read(4L + bytes, Math.min(bytes, 1 << 20));
    return footer.isEmpty() ? FileFacts.NONE : FileFacts.ofRows(footer.get()[0]);
  }

  private StoredFacts stored() {
    return new StoredFacts(
        new TableContext(
            table.process().facts(StoredFactsTest::firstByteOfFooter).ports(),
            table.paths,
            table.settings(),
            new Meter(table.clock, Progress.SILENT)));
  }

  private void file(int bytes, int footer) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(bytes);
    content.put(bytes - 4 - footer, (byte) ROWS);
    content.putInt(bytes - 4, footer);
    table.store.put(at, content);
  }

  @ParameterizedTest
  @CsvSource({
    "100, 50, 1",
    "65536, 65532, 1",
    "200000, 65532, 1",
    "200000, 65533, 2",
    "3000000, 2500000, 2"
  })
  void aFooterIsReadInOneOrTwoRequests(int bytes, int footer, long requests) throws Exception {
    file(bytes, footer);
    assertThat(stored().of(at, bytes).rows()).hasValue(ROWS);
    assertThat(table.counted.counts()).containsEntry(Request.GET, requests);
  }

  @Test
  void aFileThatIsGoneHasNoKnownRows() throws Exception {
    assertThat(stored().of(at, 100).rows()).isEmpty();
  }

  @Test
  void aFooterThatCannotBeInTheFileIsNotAskedFor() throws Exception {
    ByteBuffer content = ByteBuffer.allocate(100);
    content.putInt(96, 1_000);
    table.store.put(at, content);
    assertThat(stored().of(at, 100).rows()).isEmpty();
    assertThat(table.counted.counts()).containsEntry(Request.GET, 1L);
  }

  @Test
  void anEmptyFileHasNoRowsAndCostsNoRequest() throws Exception {
    assertThat(stored().of(at, 0).rows()).hasValue(0);
    assertThat(table.counted.counts()).isEmpty();
  }
}
