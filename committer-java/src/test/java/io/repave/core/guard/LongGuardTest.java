package io.repave.core.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.DeliveryGuards;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  /** Begins an overwrite, until it waits for the guarded job. */
  private void otherJob(List<Long> waits) throws Exception {
    Progress progress =
        new Progress() {
          @Override
          public void at(Step step, long done, long total) {}

          @Override
          public void waits(CommitId other, long millisLeft) {
            waits.add(millisLeft);
            throw ProcessDied.at("its wait");
          }
        };
    table.open(table.process().progress(progress).ports()).begin(table.request(CommitKind.DYNAMIC));
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

  /** Otherwise every other job treats the running commit as dead and finishes it. */
  @ParameterizedTest
  @ValueSource(longs = {0, 2_000})
  void theCommitCountsAsNewAfterIt(long heartbeatMillis) throws Exception {
    table.configure(it -> it.heartbeatMillis(heartbeatMillis));
    List<Long> waits = new ArrayList<>();
    TestJob job =
        guardedJob(
            (call, at) -> {
              if (guarded && call == StoreCall.PUT_IF_ABSENT && waits.isEmpty()) {
                assertThatThrownBy(() -> otherJob(waits)).isInstanceOf(ProcessDied.class);
              }
            });
    job.commit();
    long grace = heartbeatMillis == 0 ? table.settings().leaseMillis() : 4 * heartbeatMillis;
    assertThat(waits).hasSize(1).allMatch(left -> left > grace * 3 / 4);
    assertThat(table.recorded()).containsExactly("dt=1/commit-000002");
  }
}
