package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.Step;
import io.repave.core.record.CommitKind;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import org.junit.jupiter.api.Test;

/** A job that is about to commit meets commits that are unfinished. */
class ConcurrentCommitsTest {
  private final TestTable table = new TestTable();

  @Test
  void anOverlappingUnfinishedCommitIsFinishedAfterItsLease() throws Exception {
    table.configure(it -> it.conflicts(ConflictPolicy.LAST_WRITER));
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1", "dt=2");
    long before = table.clock.tickMillis();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.clock.tickMillis() - before)
        .isGreaterThanOrEqualTo(table.settings().leaseMillis());
    assertThat(table.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000001");
    assertThat(table.head().active()).isEmpty();
  }

  @Test
  void anUnfinishedCommitOfAnotherPartitionIsNeitherAwaitedNorFinished() throws Exception {
    table.configure(it -> it.conflicts(ConflictPolicy.LAST_WRITER));
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    long before = table.clock.tickMillis();
    table.commit(CommitKind.DYNAMIC, "dt=2");
    assertThat(table.clock.tickMillis() - before).isLessThan(table.settings().leaseMillis());
    assertThat(table.head().active()).hasSize(1);
  }

  /** The time that a job waits for others does not count against its retries of the head. */
  @Test
  void waitingForAnotherCommitDoesNotUseUpTheRetriesOfTheHead() throws Exception {
    long lease = 2 * table.settings().retry().budgetMillis();
    table.configure(it -> it.conflicts(ConflictPolicy.LAST_WRITER).leaseMillis(lease));
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    OnceBefore another =
        new OnceBefore(
            (call, at) -> call == StoreCall.PUT_IF_MATCH && table.head().active().isEmpty(),
            () -> table.commit(CommitKind.APPEND, "dt=2"));
    TestJob job = table.job(table.before(another), CommitKind.DYNAMIC, "dt=1");
    job.commit();
    assertThat(another.happened()).isTrue();
    assertThat(table.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000003");
  }
}
