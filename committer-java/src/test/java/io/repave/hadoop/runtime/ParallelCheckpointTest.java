package io.repave.hadoop.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.Table;
import io.repave.core.engine.Step;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A commit reads the manifests for its checkpoint in parallel, with the threads of a job. */
class ParallelCheckpointTest {
  private static final int WAIT_SECONDS = 5;

  private final BoundedParallelRunner runner = new BoundedParallelRunner("checkpoint-test", 8);
  private final TestTable table = new TestTable(Readers.SNAPSHOT);
  private final AtomicBoolean finishing = new AtomicBoolean();
  private final CountDownLatch two = new CountDownLatch(2);

  @AfterEach
  void close() {
    runner.close();
  }

  @Test
  void aCommitReadsTheManifestsOfItsCheckpointInParallel() throws Exception {
    Table process =
        table.open(
            table
                .process(new Meeting())
                .runner(runner)
                .progress((step, done, total) -> finishing.set(step == Step.FINISH))
                .ports());

    for (int version = 1; table.open().head().isEmpty() || !hasCheckpoint(); version++) {
      table.job(process, CommitKind.APPEND, "dt=" + version).commit();
    }

    assertThat(two.getCount()).as("requests that did not meet another one").isZero();
  }

  private boolean hasCheckpoint() throws Exception {
    return table.head().checkpointVersion() > 0;
  }

  /** Holds the first read of a manifest in step 9 until a second one is in flight. */
  private final class Meeting extends InterceptingStore {
    Meeting() {
      super(table.store);
    }

    @Override
    protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
      if (call == StoreCall.READ && finishing.get() && at.key().contains("/manifest")) {
        two.countDown();
        await();
      }
      return run.run();
    }

    private void await() {
      try {
        if (!two.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
          finishing.set(false);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
