package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.testing.InterceptingStore;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An operator ends a published commit without records, while its driver sleeps before a call. */
class EndedCommitTest {
  private static final int CALLS = 20;

  /** What else happens while the driver sleeps. */
  enum Meanwhile {
    /** A recoverer reads the records before they are lost, and dies before it deletes old files. */
    RECOVERER_DIES,
    /** The job runs again with the same token. */
    RUNS_AGAIN,
    NOTHING
  }

  private TestTable table;
  private int ended;

  private CommitRequest request() {
    return table.request(CommitKind.STATIC, "token");
  }

  /** True when the operator has ended the commit. */
  private boolean end() throws Exception {
    Optional<ActiveCommit> published =
        table.open().head().orElseThrow().active().stream()
            .filter(it -> it.state() == CommitState.CLEANING)
            .findFirst();
    if (published.isEmpty()) {
      return false;
    }
    table.store.delete(List.of(table.paths.uploads(published.get().id())));
    table.store.delete(List.of(table.paths.manifest(published.get().id())));
    RecoveredCommit.Outcome outcome = table.open().cancel(published.get().id().id()).outcome();
    assertThat(outcome).isEqualTo(RecoveredCommit.Outcome.ENDED);
    return true;
  }

  private void sleep(Meanwhile meanwhile) throws Exception {
    if (meanwhile == Meanwhile.RECOVERER_DIES && table.open().head().isPresent()) {
      try {
        table.dyingAt(Step.RETIRE).recover();
      } catch (ProcessDied death) {
        // As wanted.
      }
    }
    if (end()) {
      ended++;
      if (meanwhile == Meanwhile.RUNS_AGAIN) {
        table.commit(request(), List.of("dt=1"));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void whateverTheDriverStillDoesItsJobThatRunsAgainLeavesItsRowsAlone(Meanwhile meanwhile)
      throws Exception {
    for (int call = 1; call <= CALLS; call++) {
      table = new TestTable();
      table.commit(CommitKind.APPEND, "dt=1", "dt=2");
      int[] calls = {0};
      int at = call;
      InterceptingStore.Hook sleeps =
          (kind, where) -> {
            if (++calls[0] == at) {
              Unchecked.run(() -> sleep(meanwhile));
            }
          };
      TestJob driver = table.job(table.before(sleeps), request(), "dt=1");
      try {
        driver.commit();
      } catch (InvalidConfigException | IllegalStateException e) {
        throw new AssertionError("call " + call, e);
      }
      table.commit(request(), List.of("dt=1"));
      assertThat(table.writers()).as("driver slept before call %d", call).hasSize(1);
      assertThat(table.writers().iterator().next())
          .startsWith("dt=1/commit-")
          .isNotEqualTo("dt=1/commit-000001");
      table.commit(request(), List.of("dt=1"));
      assertThat(table.writers()).as("repeated after call %d", call).hasSize(1);
      assertThat(table.head().active()).isEmpty();
    }
    assertThat(ended).isPositive();
  }
}
