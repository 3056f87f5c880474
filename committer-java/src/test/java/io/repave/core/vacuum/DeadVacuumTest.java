package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.Step;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a vacuum finds after another one has died. */
class DeadVacuumTest {
  private static final long DAY = 86_400_000;

  /** Its history has ended, so nothing but the reports says that the commits were published. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aVacuumThatDiesBeforeItDeletesRecordsLetsNoPublishedCommitBeCancelled(Readers readers)
      throws Exception {
    TestTable table = new TestTable(readers);
    table.configure(it -> it.historyRetentionMillis(10 * DAY));
    for (int day = 0; day < 24; day++) {
      table.clock.advance(DAY);
      table.commit(CommitKind.DYNAMIC, "dt=" + day % 3);
    }
    int[] swaps = {0};
    Table dying =
        table.before(
            (call, at) -> {
              swaps[0] += call == StoreCall.PUT_IF_MATCH ? 1 : 0;
              if (call == StoreCall.DELETE && swaps[0] == 2) {
                throw ProcessDied.at(Step.RETIRE);
              }
            });
    assertThatThrownBy(() -> dying.vacuum(DAY)).isInstanceOf(ProcessDied.class);
    assertThat(table.head().historyFrom()).isGreaterThan(2);
    table.open().vacuum(DAY);
    assertThat(table.records("commits/")).isLessThan(14 * 4);
    assertThat(table.records("refused/")).isZero();
  }
}
