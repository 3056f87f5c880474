package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Step;
import io.repave.core.record.CommitKind;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.testing.OnceBefore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A rollback restores a file of a commit whose own history has ended. */
class RollbackMeetsVacuumsTest {
  private static final long DAY = 86_400_000;
  private static final String OLD = "dt=1/commit-000001";

  private final TestTable table = new TestTable(Readers.SNAPSHOT);

  private void days(int days) throws Exception {
    for (int day = 0; day < days; day++) {
      table.clock.advance(DAY);
      table.commit(CommitKind.DYNAMIC, "dt=2");
    }
  }

  /** Returns the last version that has the old file; a later commit replaced it long ago. */
  private long replaced() throws Exception {
    table.configure(it -> it.historyRetentionMillis(10 * DAY));
    table.checkpointEvery(5);
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    days(30);
    table.open().vacuum(DAY);
    assertThat(table.head().historyFrom()).isGreaterThan(2);
    long last = table.head().version();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    days(30);
    assertThat(table.recordedAt(last)).contains(OLD);
    assertThat(table.head().oldestVersion()).isLessThanOrEqualTo(last);
    return last;
  }

  @Test
  void aRollbackAndASecondVacuumDuringAVacuumKeepTheRestoredFiles() throws Exception {
    long target = replaced();
    OnceBefore meanwhile =
        new OnceBefore(
            (call, at) -> call == StoreCall.LIST && at.key().endsWith("_repave/checkpoints"),
            () -> {
              table.open().rollback(target);
              table.open().vacuum(DAY);
            });
    table.before(meanwhile).vacuum(DAY);
    assertThat(meanwhile.happened()).isTrue();
    assertThat(table.recorded()).contains(OLD);
    assertThat(table.writers()).containsAll(table.recorded());
  }

  @Test
  void aVacuumDuringAnUnfinishedRollbackKeepsItsFilesAlsoWhenAManifestIsLost() throws Exception {
    long target = replaced();
    LoggedCommit replacing =
        table.history().stream().filter(it -> it.version() == target + 1).findFirst().orElseThrow();
    table.store.delete(List.of(table.paths.manifest(replacing.id())));
    try {
      table.dyingAt(Step.PUBLISH).rollback(target);
    } catch (ProcessDied died) {
      // It is recovered below.
    }
    table.open().vacuum(DAY);
    table.open().recover();
    assertThat(table.recorded()).contains(OLD);
    assertThat(table.writers()).containsAll(table.recorded());
  }

  @Test
  void aDryRunDuringAnUnfinishedRollbackReportsWhatTheRunDeletes() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    try {
      table.dyingAt(Step.PLAN).rollback(2);
    } catch (ProcessDied died) {
      // It stays unfinished.
    }
    table.clock.advance(20 * DAY);
    VacuumReport rehearsed = table.open().vacuumDryRun(7 * DAY);
    assertThat(rehearsed.files()).isZero();
    assertThat(table.open().vacuum(7 * DAY)).isEqualTo(rehearsed);

    table.open().recover();
    table.clock.advance(20 * DAY);
    rehearsed = table.open().vacuumDryRun(7 * DAY);
    assertThat(rehearsed.files()).isPositive();
    assertThat(table.open().vacuum(7 * DAY)).isEqualTo(rehearsed);
  }
}
