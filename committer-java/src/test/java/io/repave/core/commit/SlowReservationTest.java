package io.repave.core.commit;

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
  private final TestTable table = new TestTable();

  /** The driver finds no manifest and plans the commit anew; the plan names later files. */
  @Test
  void itsDriverDeletesNoFileOfALaterCommit() throws Exception {
    EndedHistory history = new EndedHistory(table);
    TestJob job = table.job(table.through(unanswered(history)), CommitKind.DYNAMIC, "dt=1");

    job.commit();

    history.requireAllFiles();
  }

  /** The first swap lands without an answer; others go on while the driver plans the commit. */
  private InterceptingStore unanswered(EndedHistory history) {
    return new InterceptingStore(table.store) {
      private boolean isReserved;
      private boolean isEnded;

      @Override
      protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
        if (call == StoreCall.LIST && isReserved && !isEnded) {
          isEnded = true;
          Unchecked.run(history::end);
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
}
