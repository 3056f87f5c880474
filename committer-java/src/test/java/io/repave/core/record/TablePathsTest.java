package io.repave.core.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Step;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A path is split into a table and a partition. Any path can hold a table. */
class TablePathsTest {
  @ParameterizedTest
  @CsvSource({
    "t/sales, t/sales, ''",
    "t/sales/, t/sales, ''",
    "t/sales/dt=1, t/sales, dt=1",
    "t/sales/dt=1/, t/sales, dt=1",
    "t/sales/dt=1/hour=2, t/sales, dt=1/hour=2",
    "t/sales/dt=, t/sales, dt=",
    "t/sales/dt=a=b, t/sales, dt=a=b",
    "t/x=1/sales, t/x=1/sales, ''",
    "t/x=1/sales/dt=1, t/x=1/sales, dt=1",
    "t/=1, t/=1, ''",
    "dt=1, '', dt=1",
    "dt=1/hour=2, '', dt=1/hour=2",
    "'', '', ''",
  })
  void trailingFoldersThatNameAColumnArePartitions(String written, String root, String partition) {
    TablePaths paths = TablePaths.of(new Location("lake", written));
    assertThat(paths.root()).isEqualTo(new Location("lake", root));
    String folder = written.endsWith("/") ? written.substring(0, written.length() - 1) : written;
    assertThat(paths.partition(new Location("lake", folder))).isEqualTo(partition);
    assertThat(paths.folder(partition)).isEqualTo(new Location("lake", folder));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sales",
        "uploads-eu/sales",
        "manifest-1/sales",
        "commits",
        "a b/100%/+",
        "head.json"
      })
  void aTableIsFinishedWhateverItsPathIs(String root) throws Exception {
    TestTable table = new TestTable(new Location("lake", root));
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    table.open().recover();
    assertThat(table.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000001");
    table.commit(CommitKind.STATIC, "dt=3");
    assertThat(table.writers()).containsExactly("dt=3/commit-000003");
    table.clock.advance(1_000);
    table.open().vacuum(0);
    assertThat(table.recorded()).containsExactly("dt=3/commit-000003");
  }
}
