package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.CommitNames;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A dead commit that cannot be finished stops only the jobs that overlap it. */
class UnrecoverableCommitTest {
  private static final long HOUR_MILLIS = 3_600_000;

  private final TestTable table = new TestTable();

  private static CommitRequest replacing(String commit, String folder) {
    return new CommitRequest(CommitNames.id(commit), CommitKind.STATIC, List.of(folder), "", "");
  }

  private int active() throws Exception {
    return table.head().active().size();
  }

  @ParameterizedTest
  @EnumSource(names = {"DYNAMIC", "STATIC"})
  void aDamagedLedgerStopsTheJobBeforeItsTasksAndNamesTheCommand(CommitKind kind) throws Exception {
    CommitId dead = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    table.store.put(table.paths.uploads(dead), ByteBuffer.wrap(new byte[] {1, 2, 3}));
    var before = Map.copyOf(table.store.objects());
    assertThatThrownBy(() -> table.open().begin(table.request(kind)))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("Commit " + TestTable.id(1))
        .hasMessageContaining("is unfinished, blocks this job")
        .hasMessageContaining(table.paths.uploads(dead).toString())
        .hasMessageContaining("Nothing of this job was published")
        .hasMessageContaining("repave recover s3://lake/sales");
    assertThat(table.store.objects()).isEqualTo(before);
  }

  private Table refusingToComplete(String folder) {
    return table.before(
        (call, at) -> {
          if (call == StoreCall.COMPLETE && at.key().contains(folder)) {
            throw new StoreException(Kind.DENIED, "403");
          }
        });
  }

  @Test
  void aCommitThatCannotBeFinishedStopsAnOverwriteOfItsPartitionAndNamesTheCause()
      throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    Table denied = refusingToComplete("dt=1");
    TestJob job = table.job(denied, CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitFailedException.class)
        .hasCauseInstanceOf(StoreException.class)
        .hasMessageContaining("Commit " + TestTable.id(2))
        .hasMessageContaining("blocks this job, and could not be finished: 403")
        .hasMessageContaining("Fix the cause");
    assertThat(active()).isEqualTo(1);
    assertThat(job.abort()).isTrue();
    assertThatThrownBy(() -> denied.begin(table.request(CommitKind.STATIC)))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("blocks this job");
  }

  @Test
  void aCommitThatCannotBeFinishedDoesNotStopAnOverwriteOfOtherPartitions() throws Exception {
    CommitId dead = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(HOUR_MILLIS);
    Table denied = refusingToComplete("dt=1");
    TestJob job = table.job(denied, CommitKind.DYNAMIC, "dt=2");
    job.commit();
    denied.begin(replacing("commit-other", "dt=3"));
    assertThat(table.writers()).containsExactly("dt=2/commit-000002");
    assertThat(table.head().active()).extracting(commit -> commit.id()).containsExactly(dead);
  }

  @Test
  void aCommitThatCannotBeFinishedDoesNotStopTheRecoveryOfOthers() throws Exception {
    CommitId dead = table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=1");
    table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=2");
    table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=3");
    assertThatThrownBy(() -> refusingToComplete("dt=1").recover())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("403");
    assertThat(table.writers()).containsExactly("dt=2/commit-000002", "dt=3/commit-000003");
    assertThat(table.head().active()).extracting(commit -> commit.id()).containsExactly(dead);
  }

  @Test
  void anAppendCommitsDespiteADeadCommitThatCannotBeFinished() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(HOUR_MILLIS);
    TestJob job = table.job(refusingToComplete("dt=1"), CommitKind.APPEND, "dt=2");
    job.commit();
    assertThat(table.writers()).containsExactly("dt=2/commit-000002");
  }

  @Test
  void aCommitInFoldersThatAreNotAllowedStopsOnlyJobsThatReplaceThem() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "s3://other/days/dt=1");
    table.open().begin(table.request(CommitKind.DYNAMIC));
    assertThat(active()).isEqualTo(1);
    CommitRequest there = replacing("commit-there", "s3://other/days/dt=1");
    assertThatThrownBy(() -> table.open().begin(there))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.locations.allowed");
  }
}
