package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import org.junit.jupiter.api.Test;

/** Which files of a snapshot table a vacuum deletes. */
class VacuumOfSnapshotFilesTest {
  private static final long HOUR = 3_600_000;

  private final TestTable table = new TestTable(Readers.SNAPSHOT);

  @Test
  void filesOfAJobThatIsYoungerThanTheRetentionAreKept() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    TestJob running = table.job(CommitKind.APPEND, "dt=2");
    table.clock.advance(HOUR - 1);
    assertThat(table.open().vacuum(HOUR).files()).isZero();
    assertThat(table.records("refused/")).isZero();
    running.commit();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001", "dt=2/commit-000002");
  }

  /** Their names do not tell a commit, so only the manifest that replaced them names them. */
  @Test
  void replacedFilesOfOtherWritersAreRemovedBySomeLaterVacuum() throws Exception {
    table.foreign("dt=1/old.parquet");
    table.commit(CommitKind.APPEND, "dt=2");
    table.clock.advance(2 * HOUR);
    table.open().vacuum(HOUR);
    assertThat(table.head().vacuumedVersion()).isEqualTo(2);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(HOUR + 1);
    assertThat(table.open().vacuum(HOUR).files()).isEqualTo(1);
    assertThat(table.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000001");
  }
}
