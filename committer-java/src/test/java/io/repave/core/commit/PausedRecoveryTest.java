package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.RecoveredCommit.Outcome;
import io.repave.core.engine.Step;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import io.repave.core.store.OpenUpload;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A recovery sleeps while others finish its commit, and vacuum removes the commit's records. */
class PausedRecoveryTest {
  private final TestTable table = new TestTable();

  /** It finds no manifest and plans the commit anew; the plan names files of later commits. */
  @Test
  void itDeletesNoFileOfALaterCommit() throws Exception {
    EndedHistory history = new EndedHistory(table);
    CommitId id = table.unfinished(Step.RETIRE, CommitKind.DYNAMIC, "dt=1");
    OnceBefore others =
        new OnceBefore(
            (call, at) -> call == StoreCall.READ && at.equals(table.paths.manifest(id)),
            () -> {
              history.end();
              assertThat(table.store.objects()).doesNotContainKey(table.paths.manifest(id));
            });

    table.before(others).recover();

    assertThat(others.happened()).isTrue();
    history.requireAllFiles();
  }

  /** While it finishes the first commit, a job reverts the second one, whose upload is lost. */
  @ParameterizedTest
  @ValueSource(ints = {0, 40})
  void itReportsWhatAnotherProcessRevertedAndPublished(int commitsSince) throws Exception {
    CommitId slow = table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=1");
    CommitId lost = table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=2");
    CommitId published = table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=3");
    OnceBefore others =
        new OnceBefore(
            (call, at) -> call == StoreCall.READ && at.equals(table.paths.manifest(slow)),
            () -> {
              abortUploads("dt=2");
              Recovery job = new Recovery(table::context);
              job.finishOnly(table.head().active(lost).orElseThrow());
              job.finishOnly(table.head().active(published).orElseThrow());
              for (int i = 0; i < commitsSince; i++) {
                table.commit(CommitKind.APPEND, "dt=4");
              }
            });

    List<RecoveredCommit> all = table.before(others).recover();

    assertThat(others.happened()).isTrue();
    assertThat(table.head().logged(lost).isPresent()).isEqualTo(commitsSince == 0);
    assertThat(all)
        .extracting(RecoveredCommit::id, RecoveredCommit::outcome)
        .containsExactly(
            tuple(slow, Outcome.PUBLISHED),
            tuple(lost, Outcome.REVERTED),
            tuple(published, Outcome.FINISHED_BY_ANOTHER_PROCESS));
  }

  private void abortUploads(String partition) throws Exception {
    for (OpenUpload open :
        table.store.listUploads(table.paths.root().resolve(partition), "").uploads()) {
      table.store.abort(new Location(table.paths.root().bucket(), open.key()), open.uploadId());
    }
  }
}
