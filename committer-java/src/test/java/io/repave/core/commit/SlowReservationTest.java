package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Step;
import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import org.junit.jupiter.api.Test;

/**
 * A reservation is answered so late that a recovery has published the commit meanwhile. The driver
 * goes on from a head in which old files are still being deleted.
 */
class SlowReservationTest {
  private static final long DAY = 86_400_000L;

  private final TestTable table = new TestTable();

  /** The driver finds no manifest and plans the commit anew; the plan names later files. */
  @Test
  void itsDriverDeletesNoFileOfALaterCommit() throws Exception {
    table.configure(it -> it.historyRetentionMillis(DAY));
    table.commit(CommitKind.APPEND, "dt=1");
    TestJob job = table.job(table.through(unanswered()), CommitKind.DYNAMIC, "dt=1");

    job.commit();

    assertThat(table.writers())
        .containsExactly("dt=1/commit-000002", "dt=1/commit-000003", "dt=2/commit-000004");
    assertThat(table.recorded())
        .containsExactly("dt=1/commit-000002", "dt=1/commit-000003", "dt=2/commit-000004");
  }

  /** The first swap lands without an answer; others go on while the driver plans the commit. */
  private InterceptingStore unanswered() {
    return new InterceptingStore(table.store) {
      private boolean isReserved;
      private boolean isEnded;

      @Override
      protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
        if (call == StoreCall.LIST && isReserved && !isEnded) {
          isEnded = true;
          Unchecked.run(SlowReservationTest.this::endHistory);
        }
        T answer = run.run();
        if (call == StoreCall.PUT_IF_MATCH && !isReserved) {
          isReserved = true;
          Unchecked.run(SlowReservationTest.this::publishAndDie);
          throw new StoreException(StoreException.Kind.UNKNOWN, "no answer");
        }
        return answer;
      }
    };
  }

  private void publishAndDie() throws Exception {
    try {
      table.dyingAt(Step.RETIRE).recover();
    } catch (ProcessDied end) {
      // The commit is published, and its old files are still there.
    }
  }

  private void endHistory() throws Exception {
    table.open().recover();
    table.commit(CommitKind.APPEND, "dt=1");
    table.clock.advance(2 * DAY);
    table.commit(CommitKind.APPEND, "dt=2");
    table.open().vacuum(DAY);
  }
}
