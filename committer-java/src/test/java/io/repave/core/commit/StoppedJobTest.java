package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.InterceptingStore;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine stops the statement of a job, and no interrupt reaches the job's thread. */
class StoppedJobTest {
  private static final int REQUESTS_MAX = 100;

  private final TestTable table = new TestTable();
  private boolean stopped;

  private Table stoppable(ObjectStore store, Progress progress) {
    return table.open(table.process(store).progress(progress).ports().stoppedBy(() -> stopped));
  }

  private Ledger uploaded(WriteTransaction job) throws Exception {
    return TestTable.ledger(table.upload(job, List.of("dt=1")));
  }

  private final Progress stopsTheJobThatWaits =
      new Progress() {
        @Override
        public void at(Step step, long done, long total) {}

        @Override
        public void waits(CommitId other, long millisLeft) {
          stopped = true;
        }
      };

  @ParameterizedTest
  @EnumSource(names = {"APPEND", "DYNAMIC"})
  void aDecidedCommitIsFinishedAndAnyOtherLeavesNothing(CommitKind kind) throws Exception {
    int published = 0;
    int failed = 0;
    for (int request = 1; request < REQUESTS_MAX; request++) {
      StoppedJobTest fresh = new StoppedJobTest();
      if (fresh.publishesAfterAStopAt(request, kind)) {
        published++;
      } else {
        failed++;
      }
      if (!fresh.stopped) {
        break;
      }
    }
    assertThat(failed).isPositive();
    assertThat(published).isGreaterThan(4);
  }

  private boolean publishesAfterAStopAt(int last, CommitKind kind) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    int[] sent = {0};
    boolean[] decidedBefore = {false};
    ObjectStore stopping =
        InterceptingStore.before(
            table.counted,
            (call, at) -> {
              if (++sent[0] == last) {
                stopped = true;
                decidedBefore[0] = isDecided();
              }
            });
    boolean publishes = commits(stoppable(stopping, Progress.SILENT), kind);
    assertThat(table.writers().contains("dt=1/commit-000002")).isEqualTo(publishes);
    assertThat(publishes || !decidedBefore[0]).isTrue();
    assertThat(table.head().active()).isEmpty();
    assertThat(table.store.openUploads()).isEmpty();
    return publishes;
  }

  private boolean isDecided() {
    try {
      return !table.head().active().isEmpty();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean commits(Table open, CommitKind kind) throws Exception {
    WriteTransaction job;
    try {
      job = open.begin(table.request(kind));
    } catch (CommitFailedException early) {
      return false;
    }
    Ledger ledger = uploaded(job);
    try {
      job.commit(ledger);
      return true;
    } catch (CommitFailedException e) {
      assertThat(e)
          .hasMessageContaining("was stopped before it was decided")
          .hasMessageContaining("Nothing was published");
      assertThat(job.abort(ledger)).isTrue();
      return false;
    }
  }

  @Test
  void aJobThatIsStoppedWhileItWaitsToBeginEndsItsWait() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    CommitRequest request = table.request(CommitKind.DYNAMIC);
    long before = table.clock.tickMillis();
    assertThatThrownBy(() -> stoppable(table.store, stopsTheJobThatWaits).begin(request))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("was stopped before it was decided");
    assertThat(table.clock.tickMillis() - before).isLessThan(1_000);
  }

  @Test
  void aJobThatIsStoppedWhileItWaitsToReserveEndsItsWait() throws Exception {
    WriteTransaction job =
        stoppable(table.store, stopsTheJobThatWaits).begin(table.request(CommitKind.APPEND));
    Ledger ledger = uploaded(job);
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    long before = table.clock.tickMillis();
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("was stopped before it was decided");
    assertThat(table.clock.tickMillis() - before).isLessThan(1_000);
    assertThat(job.abort(ledger)).isTrue();
    table.open().recover();
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReservationWithoutAnAnswerIsSettledBeforeAStoppedJobEnds(boolean landed) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction job =
        stoppable(losingTheFirstAnswer(landed), Progress.SILENT)
            .begin(table.request(CommitKind.APPEND));
    Ledger ledger = uploaded(job);
    if (landed) {
      assertThat(job.commit(ledger).version()).isEqualTo(2);
    } else {
      assertThatThrownBy(() -> job.commit(ledger))
          .isInstanceOf(CommitFailedException.class)
          .hasMessageContaining("was stopped before it was decided");
      assertThat(job.abort(ledger)).isTrue();
    }
    assertThat(table.writers()).hasSize(landed ? 2 : 1);
    assertThat(table.head().active()).isEmpty();
    assertThat(table.store.openUploads()).isEmpty();
  }

  private ObjectStore losingTheFirstAnswer(boolean landed) {
    return new InterceptingStore(table.store) {
      @Override
      public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
        if (stopped || !at.equals(table.paths.head())) {
          return super.putIfMatch(at, content, etag);
        }
        stopped = true;
        if (landed) {
          super.putIfMatch(at, content, etag);
        }
        throw new StoreException(Kind.UNKNOWN, "no answer");
      }
    };
  }
}
