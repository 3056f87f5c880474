package io.repave.hadoop.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitKind;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.InterceptingStore;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An engine interrupts the thread that commits, as Spark does when it stops a stream. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InterruptedCommitTest {
  private static final int REQUESTS_MAX = 100;
  private final BoundedParallelRunner runner = new BoundedParallelRunner("interrupt-test", 2);

  @AfterEach
  void close() {
    runner.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"APPEND", "DYNAMIC"})
  void aDecidedCommitIsFinishedAndAnyOtherLeavesNothing(CommitKind kind) throws Exception {
    int published = 0;
    int aborted = 0;
    for (int request = 1; request < REQUESTS_MAX; request++) {
      Run run = new Run(kind, request);
      if (!run.commits()) {
        aborted++;
      } else {
        published++;
      }
      if (!run.interrupted) {
        break;
      }
    }
    assertThat(aborted).isPositive();
    assertThat(published).isGreaterThan(4);
  }

  /** One table and one commit, interrupted before its n-th request. */
  private final class Run {
    private final TestTable table = new TestTable();
    private final CommitKind kind;
    private final int last;
    private Thread committing;
    private int sent;
    private boolean interrupted;

    Run(CommitKind kind, int last) {
      this.kind = kind;
      this.last = last;
    }

    boolean commits() throws Exception {
      table.commit(CommitKind.APPEND, "dt=1");
      Table open =
          table.open(
              table
                  .process()
                  .runner(runner)
                  .ports()
                  .with(InterceptingStore.before(table.counted, (call, at) -> request())));
      WriteTransaction job = open.begin(table.request(kind));
      Ledger ledger = TestTable.ledger(table.upload(job, List.of("dt=1")));
      committing = Thread.currentThread();
      boolean commits = commits(job, ledger);
      boolean kept = Thread.interrupted();
      if (!commits) {
        assertThat(job.abort(ledger)).isTrue();
        assertThat(table.writers()).containsExactly("dt=1/commit-000001");
      } else {
        assertThat(kept).isEqualTo(interrupted);
        assertThat(table.writers())
            .contains("dt=1/commit-000002")
            .hasSize(kind == CommitKind.APPEND ? 2 : 1);
      }
      assertThat(table.head().active()).isEmpty();
      assertThat(table.store.openUploads()).isEmpty();
      return commits;
    }

    private static boolean commits(WriteTransaction job, Ledger ledger) {
      try {
        job.commit(ledger);
        return true;
      } catch (IOException | InterruptedException stopped) {
        return false;
      }
    }

    /** A client of S3 sends no request for a thread that is interrupted. */
    private synchronized void request() throws StoreException {
      if (committing != null && ++sent == last) {
        interrupted = true;
        committing.interrupt();
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new StoreException(Kind.UNKNOWN, "the thread was interrupted");
      }
    }
  }
}
