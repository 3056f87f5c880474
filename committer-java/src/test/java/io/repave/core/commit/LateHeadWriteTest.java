package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.Ports;
import io.repave.core.engine.RetryPolicy;
import io.repave.core.engine.SharedHead;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.LoggedCommit;
import io.repave.core.store.Clock;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.Turns;
import io.repave.testing.InterceptingClock;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A store without conditional writes, and one writer. A write of the head is answered with a
 * time-out and applied later, which such a store does not refuse.
 */
class LateHeadWriteTest {
  private static final long DRAIN_MILLIS = 300_000;
  private static final long LATE_MILLIS = 100_000;

  private final TestTable table = new TestTable();

  /** Compares, and then writes. One swap of the head is applied late: after two others. */
  private final class LateStore extends InterceptingStore {
    private final int lost;
    private int swaps;
    private ByteBuffer late;
    private Location at;
    private long dueMillis;

    LateStore(ObjectStore store, int lost) {
      super(store);
      this.lost = lost;
      table.clock.onAdvance(now -> land(now >= dueMillis));
    }

    @Override
    public String putIfMatch(Location head, ByteBuffer content, String etag) throws StoreException {
      if (table.store.head(head).filter(found -> found.etag().equals(etag)).isEmpty()) {
        throw new StoreException(Kind.REFUSED, "it has changed");
      }
      swaps++;
      if (swaps == lost) {
        late = content.duplicate();
        at = head;
        dueMillis = table.clock.tickMillis() + LATE_MILLIS;
        throw new StoreException(Kind.UNKNOWN, "time-out (504)");
      }
      String tag = put(head, content);
      land(swaps == lost + 2);
      return tag;
    }

    private void land(boolean isDue) {
      if (isDue && late != null) {
        ByteBuffer content = late;
        late = null;
        try {
          table.store.put(at, content);
        } catch (StoreException e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  @BeforeEach
  void begin() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    RetryPolicy usual = RetryPolicy.DEFAULT;
    table.configure(
        it ->
            it.retry(
                new RetryPolicy(
                    usual.attempts(),
                    usual.firstMillis(),
                    usual.mostMillis(),
                    usual.budgetMillis(),
                    DRAIN_MILLIS)));
  }

  private void assertNothingIsLost() throws Exception {
    assertThat(table.history()).extracting(LoggedCommit::version).containsExactly(1L, 2L, 3L, 4L);
    assertThat(table.recorded())
        .containsExactlyInAnyOrder(
            "dt=1/commit-000001", "dt=2/commit-000002", "dt=3/commit-000003", "dt=4/commit-000004");
  }

  /** Reserve, Publish or Finish of a commit. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aLateWriteOfTheHeadTakesNoCommitBack(int lost) throws Exception {
    LateStore store = new LateStore(table.counted, lost);

    for (int commit = 2; commit <= 4; commit++) {
      table.job(table.through(store), CommitKind.APPEND, "dt=" + commit).commit();
    }

    assertNothingIsLost();
  }

  /** Interrupts the first long wait of a process, before the late write. */
  private Clock interrupting() {
    AtomicBoolean first = new AtomicBoolean(true);
    return new InterceptingClock(table.clock) {

      @Override
      public void sleep(long millis) throws InterruptedException {
        if (millis >= DRAIN_MILLIS && first.getAndSet(false)) {
          table.clock.sleep(LATE_MILLIS / 2);
          throw new InterruptedException();
        }
        table.clock.sleep(millis);
      }
    };
  }

  @Test
  void anAbortAfterAnInterruptedWaitWaitsForTheRest() throws Exception {
    LateStore store = new LateStore(table.counted, 1);
    SharedHead shared = new SharedHead(Turns.NONE);
    Ports process = table.process(store).clock(interrupting()).heads(head -> shared).ports();
    TestJob job = table.job(table.open(process), CommitKind.APPEND, "dt=2");
    long begunMillis = table.clock.tickMillis();

    assertThatThrownBy(job::commit).isInstanceOf(CommitStateUnknownException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(job.abort()).as("aborted").isFalse();
    assertThat(table.clock.tickMillis() - begunMillis).isBetween(DRAIN_MILLIS, DRAIN_MILLIS + 999);
    table.open().recover();
    for (int commit = 3; commit <= 4; commit++) {
      table.job(table.through(store), CommitKind.APPEND, "dt=" + commit).commit();
    }

    assertNothingIsLost();
  }

  private long millisToAppend(ObjectStore store) throws Exception {
    TestJob job = table.job(table.through(store), CommitKind.APPEND, "dt=2");
    long begunMillis = table.clock.tickMillis();
    job.commit();
    return table.clock.tickMillis() - begunMillis;
  }

  @Test
  void noWaitFollowsAComparisonThatFailed() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    ObjectStore store =
        InterceptingStore.before(
            table.counted,
            (call, at) -> {
              if (call == StoreCall.PUT_IF_MATCH && failures.incrementAndGet() % 2 == 1) {
                throw new StoreException(Kind.UNKNOWN, "HEAD answered 503").unapplied();
              }
            });
    assertThat(millisToAppend(store)).isLessThan(DRAIN_MILLIS);
    assertThat(failures).hasPositiveValue();
  }

  @Test
  void noWaitFollowsAReadThatFailed() throws Exception {
    table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=9");
    AtomicInteger reads = new AtomicInteger();
    ObjectStore store =
        InterceptingStore.before(
            table.counted,
            (call, at) -> {
              boolean isRead = call == StoreCall.READ && at.equals(table.paths.head());
              if (isRead && reads.incrementAndGet() % 2 == 0) {
                throw new StoreException(Kind.UNKNOWN, "GET answered 503");
              }
            });
    assertThat(millisToAppend(store)).isLessThan(DRAIN_MILLIS);
    assertThat(reads).hasValueGreaterThan(2);
  }

  /** The budget is as long as one wait. */
  @Test
  void aSwapIsTriedAgainAfterTwoThatGotNoAnswer() throws Exception {
    AtomicInteger swaps = new AtomicInteger();
    ObjectStore store =
        InterceptingStore.before(
            table.counted,
            (call, at) -> {
              if (call == StoreCall.PUT_IF_MATCH && swaps.incrementAndGet() <= 2) {
                throw new StoreException(Kind.UNKNOWN, "time-out (504)");
              }
            });
    assertThat(millisToAppend(store)).isBetween(2 * DRAIN_MILLIS, 3 * DRAIN_MILLIS);
  }
}
