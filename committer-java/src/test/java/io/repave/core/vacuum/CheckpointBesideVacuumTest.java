package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import org.junit.jupiter.api.Test;

/** A vacuum of a listing table writes a checkpoint, and commits write newer ones meanwhile. */
class CheckpointBesideVacuumTest {
  private static final long DAY = 86_400_000;

  private final TestTable table = new TestTable();

  private void days(int days) throws Exception {
    for (int day = 0; day < days; day++) {
      table.clock.advance(DAY);
      table.commit(CommitKind.DYNAMIC, "dt=" + day % 3);
    }
  }

  /** Otherwise the commits that only the newer one names would be missing in the history. */
  @Test
  void aNewerCheckpointIsNotReplacedByTheOneOfTheVacuum() throws Exception {
    table.configure(it -> it.historyRetentionMillis(10 * DAY));
    table.checkpointEvery(5);
    days(30);
    int[] swaps = {0};
    OnceBefore commits =
        new OnceBefore(
            (call, at) -> call == StoreCall.PUT_IF_MATCH && ++swaps[0] == 2, () -> days(50));
    table.before(commits).vacuum(DAY);
    assertThat(commits.happened()).isTrue();
    assertThat(table.head().checkpointVersion()).isEqualTo(80);
    assertThat(table.history()).hasSize(80);
    table.open().vacuum(DAY);
    assertThat(table.head().historyFrom()).isGreaterThan(60);
    assertThat(table.recorded()).hasSize(3);
  }
}
