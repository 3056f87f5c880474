package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.testing.FakeCatalog;
import io.repave.testing.TestTable;
import org.junit.jupiter.api.Test;

/** A catalog that is moved while others commit without end. */
class BusyCatalogTest {
  private static final FollowerKind KIND = FollowerKind.METASTORE;

  private final TestTable table = new TestTable(Readers.SNAPSHOT);
  private final FakeCatalog catalog = new FakeCatalog();

  private void follow() throws Exception {
    table.open().followBy(KIND, "lake.sales");
    move();
  }

  private void move() throws Exception {
    table.open().move(KIND, catalog);
  }

  private Follower follower() throws Exception {
    return table.head().follower(KIND).orElseThrow();
  }

  @Test
  void commitsWithoutEndDoNotKeepAProcessMovingWithoutEnd() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    follow();
    int[] moves = {0};
    LocationCatalog busy =
        (name, wanted) -> {
          assertThat(++moves[0]).isLessThan(20);
          table.commit(CommitKind.DYNAMIC, "dt=1");
        };
    table.open().move(KIND, busy);
    assertThat(follower().followed()).as("behind").isEqualTo(table.head().version() - 1);
    move();
    assertThat(catalog.files(table)).isEqualTo(table.recorded());
  }

  @Test
  void aProcessThatOthersOvertakeWithoutEndSaysSo() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    follow();
    int[] moves = {0};
    LocationCatalog busy =
        (name, wanted) -> {
          assertThat(++moves[0]).isLessThan(200);
          table.commit(CommitKind.DYNAMIC, "dt=1");
          table.open().move(KIND, catalog);
        };
    assertThatThrownBy(() -> table.open().move(KIND, busy))
        .hasMessageContaining("RepaveTable.sync(), updates all of them");
  }
}
