package io.repave.core.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.DeliveryGuards;
import io.repave.core.record.CommitKind;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A guard takes longer than the retry budget and the lease, because it reads many files. */
class LongGuardTest {
  private static final DeliveryGuards ONLY = new DeliveryGuards(List.of("dt=1"), BigDecimal.ZERO);

  private final TestTable table = new TestTable();
  private boolean guarded;
  private int swaps;

  @BeforeEach
  void aTable() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
  }

  /** A static overwrite looks up its old files for {@code repave.only}. */
  private TestJob guardedJob(InterceptingStore.Hook hook) throws Exception {
    CommitRequest request = table.request(CommitKind.STATIC).guardedBy(ONLY);
    InterceptingStore.Hook slow =
        (call, at) -> {
          if (call == StoreCall.LIST && !guarded) {
            guarded = true;
            table.clock.advance(2 * table.settings().retry().budgetMillis());
          }
          hook.at(call, at);
        };
    return table.job(table.before(slow), request, "dt=1");
  }

  @Test
  void aSingleFailureAfterItIsTriedAgain() throws Exception {
    TestJob job =
        guardedJob(
            (call, at) -> {
              if (call == StoreCall.PUT_IF_MATCH && swaps++ == 0) {
                throw new StoreException(StoreException.Kind.UNKNOWN, "busy");
              }
            });
    job.commit();
    assertThat(guarded).isTrue();
    assertThat(table.recorded()).containsExactly("dt=1/commit-000002");
  }
}
