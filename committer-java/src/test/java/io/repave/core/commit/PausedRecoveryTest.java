package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Step;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import org.junit.jupiter.api.Test;

/** A recovery sleeps while others finish its commit, and vacuum removes the commit's records. */
class PausedRecoveryTest {
  private static final long DAY = 86_400_000L;

  private final TestTable table = new TestTable();

  /** It finds no manifest and plans the commit anew; the plan names files of later commits. */
  @Test
  void itDeletesNoFileOfALaterCommit() throws Exception {
    table.configure(it -> it.historyRetentionMillis(DAY));
    table.commit(CommitKind.APPEND, "dt=1");
    CommitId id = table.unfinished(Step.RETIRE, CommitKind.DYNAMIC, "dt=1");
    OnceBefore others =
        new OnceBefore(
            (call, at) -> call == StoreCall.READ && at.equals(table.paths.manifest(id)),
            () -> endHistoryOf(id));

    table.before(others).recover();

    assertThat(others.happened()).isTrue();
    assertThat(table.writers())
        .containsExactly("dt=1/commit-000002", "dt=1/commit-000003", "dt=2/commit-000004");
    assertThat(table.recorded())
        .containsExactly("dt=1/commit-000002", "dt=1/commit-000003", "dt=2/commit-000004");
  }

  private void endHistoryOf(CommitId id) throws Exception {
    table.open().recover();
    table.commit(CommitKind.APPEND, "dt=1");
    table.clock.advance(2 * DAY);
    table.commit(CommitKind.APPEND, "dt=2");
    table.open().vacuum(DAY);
    assertThat(table.store.objects()).doesNotContainKey(table.paths.manifest(id));
  }
}
