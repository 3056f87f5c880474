package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import org.junit.jupiter.api.Test;

/** A decided adoption, or rollback, needs the records of all live files. */
class AdoptionMeetsVacuumTest {
  private static final long DAY = 86_400_000;

  @Test
  void aVacuumKeepsTheRecordsThatADecidedAdoptionNeeds() throws Exception {
    TestTable table = new TestTable(Readers.LISTING);
    table.configure(it -> it.historyRetentionMillis(10 * DAY));
    table.checkpointEvery(5);
    for (int day = 0; day < 40; day++) {
      table.clock.advance(DAY);
      table.commit(CommitKind.DYNAMIC, "dt=" + day % 3);
    }
    table.foreign("dt=1/more.parquet");
    boolean[] decided = {false};
    OnceBefore meanwhile =
        new OnceBefore(
            (call, at) -> {
              decided[0] |= !table.head().active().isEmpty();
              return decided[0] && call == StoreCall.READ && at.key().contains("/manifest");
            },
            () -> table.open().vacuum(DAY));
    table.before(meanwhile).adopt();
    assertThat(meanwhile.happened()).isTrue();
    assertThat(table.head().active()).isEmpty();
    assertThat(table.writers()).containsExactlyInAnyOrderElementsOf(table.recorded());
  }
}
