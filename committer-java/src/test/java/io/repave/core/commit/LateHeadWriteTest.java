package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.RetryPolicy;
import io.repave.core.record.CommitKind;
import io.repave.core.record.LoggedCommit;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.InterceptingStore;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
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

  /** Reserve, Publish or Finish of a commit. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aLateWriteOfTheHeadTakesNoCommitBack(int lost) throws Exception {
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
    LateStore store = new LateStore(table.counted, lost);

    for (int commit = 2; commit <= 4; commit++) {
      table.job(table.through(store), CommitKind.APPEND, "dt=" + commit).commit();
    }

    assertThat(table.history()).extracting(LoggedCommit::version).containsExactly(1L, 2L, 3L, 4L);
    assertThat(table.recorded())
        .containsExactlyInAnyOrder(
            "dt=1/commit-000001", "dt=2/commit-000002", "dt=3/commit-000003", "dt=4/commit-000004");
  }
}
