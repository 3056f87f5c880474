package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.error.CommitConflictException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job that took long, so that many versions were published between its begin and its commit. */
class ManyVersionsSinceBaseTest {
  private static final int VERSIONS = 300;
  private static final int CHECKPOINTS = VERSIONS / 5;

  private final TestTable table = new TestTable(Readers.SNAPSHOT);
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger swaps = new AtomicInteger();

  @BeforeEach
  void begin() throws Exception {
    table.commit(CommitKind.APPEND, "dt=9");
  }

  /** What others publish while the job's tasks run. */
  private void tasksRun() throws Exception {
    others(VERSIONS);
    table.clock.advance(3_600_000);
  }

  private void others(int commits) throws Exception {
    for (int i = 0; i < commits; i++) {
      table.commit(CommitKind.APPEND, "dt=1");
    }
  }

  /** The job in a process whose reads of checkpoints and swaps are counted. */
  private TestJob job(CommitKind kind, InterceptingStore.Hook hook) throws Exception {
    return table.job(
        table.before(
            (call, at) -> {
              if (call == StoreCall.READ && at.key().contains("/_repave/checkpoints/")) {
                reads.incrementAndGet();
                hook.at(call, at);
              } else if (call == StoreCall.PUT_IF_MATCH && at.equals(table.paths.head())) {
                swaps.incrementAndGet();
                hook.at(call, at);
              }
            }),
        kind,
        "dt=9");
  }

  /** Otherwise others change the head while it reads them, before each of its tries. */
  @Test
  void anOverwriteReadsTheVersionsSinceItsBaseOnlyOnce() throws Exception {
    TestJob job =
        job(
            CommitKind.DYNAMIC,
            (call, at) -> {
              if (call == StoreCall.READ && reads.get() % 20 == 0 && reads.get() < 1_000) {
                Unchecked.run(() -> others(1));
              }
            });
    tasksRun();
    job.commit();
    assertThat(reads).hasValueLessThan(CHECKPOINTS + 20);
    assertThat(swaps).hasValueLessThanOrEqualTo(5);
    assertThat(table.recorded())
        .contains("dt=9/commit-000002")
        .doesNotContain("dt=9/commit-000001");
  }

  @Test
  void aChangeThatIsPublishedWhileItReadsThemStopsTheOverwrite() throws Exception {
    OnceBefore change =
        new OnceBefore(StoreCall.PUT_IF_MATCH, () -> table.commit(CommitKind.APPEND, "dt=9"));
    TestJob job = job(CommitKind.DYNAMIC, change);
    tasksRun();
    assertThatThrownBy(job::commit).isInstanceOf(CommitConflictException.class);
  }

  /** The log of the head names the versions since its first try. */
  @Test
  void anAppendThatLosesARaceReadsNoCheckpoint() throws Exception {
    TestJob job = job(CommitKind.APPEND, new OnceBefore(StoreCall.PUT_IF_MATCH, () -> others(1)));
    tasksRun();
    job.commit();
    assertThat(reads).hasValueLessThanOrEqualTo(2);
  }

  @Test
  void aLastWriterThatLosesARaceReadsNoCheckpoint() throws Exception {
    table.configure(it -> it.conflicts(ConflictPolicy.LAST_WRITER));
    TestJob job = job(CommitKind.DYNAMIC, new OnceBefore(StoreCall.PUT_IF_MATCH, () -> others(1)));
    tasksRun();
    job.commit();
    assertThat(reads).hasValueLessThanOrEqualTo(4);
  }

  /** Their numbers are those of versions that the job has examined, and the log has lost them. */
  @Test
  void versionsOfAHeadThatIsPutBackBetweenTwoTriesAreRead() throws Exception {
    byte[][] older = new byte[1][];
    OnceBefore putBack =
        new OnceBefore(
            StoreCall.PUT_IF_MATCH,
            () -> {
              table.store.put(table.paths.head(), ByteBuffer.wrap(older[0]));
              table.commit(CommitKind.APPEND, "dt=9");
              others(50);
            });
    TestJob job = job(CommitKind.DYNAMIC, putBack);
    others(1);
    older[0] = table.content(table.paths.head());
    others(10);
    table.clock.advance(3_600_000);
    assertThatThrownBy(job::commit).isInstanceOf(CommitConflictException.class);
  }
}
