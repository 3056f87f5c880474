package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.testing.DeltaReplay;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Delta does not tell columns apart by the case of their letters. */
class ColumnsInAnotherCaseTest {
  @Test
  void aPartitionColumnThatDiffersInCaseFromAColumnStopsTheLog() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.configure(it -> it.followers(List.of(FollowerKind.DELTA)));
    DeltaLogTest.commit(
        table,
        "dt=1",
        "{\"type\":\"struct\",\"fields\":[{\"name\":\"DT\",\"type\":\"long\",\"nullable\":true,"
            + "\"metadata\":{}}]}");
    DeltaReplay log = DeltaReplay.of(table.store, table.paths);
    assertThat(log.version()).isEqualTo(-1);
  }
}
