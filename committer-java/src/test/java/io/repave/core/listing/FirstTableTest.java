package io.repave.core.listing;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a folder that a statement would delete has a table in it. */
class FirstTableTest {
  @ParameterizedTest
  @CsvSource({
    "lake, true",
    "lake/sales, true",
    "lake/sale, false",
    "lake/sales/dt=1, false",
    "'', true"
  })
  void theFirstTableInAFolderIsFound(String folder, boolean isFound) throws Exception {
    TestTable table = new TestTable(new Location("lake", "lake/sales"));
    table.commit(CommitKind.APPEND, "dt=1");

    assertThat(table.open().firstIn(new Location("lake", folder)).map(Location::key))
        .isEqualTo(isFound ? Optional.of("lake/sales") : Optional.empty());
  }

  @Test
  void aTableIsFoundBehindAPageOfOtherKeys() throws Exception {
    TestTable table = new TestTable(new Location("lake", "lake/sales"));
    for (int key = 0; key < 1000; key++) {
      table.store.put(new Location("lake", "lake/a" + key), ByteBuffer.allocate(1));
    }
    table.commit(CommitKind.APPEND, "dt=1");

    assertThat(table.open().firstIn(new Location("lake", "lake"))).contains(table.paths.root());
  }
}
