package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is left in a folder without a head. */
class NewTableTest {
  private static final int PAGE = 1000;

  /** The new table would show replaced rows again, and its vacuum would delete the old records. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void noTableBeginsWhereAHeadWasDeleted(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.store.delete(List.of(table.paths.head()));
    Map<Location, ?> before = Map.copyOf(table.store.objects());
    for (Readers asked : Readers.values()) {
      TestTable next = new TestTable(table, table.paths.root(), asked, 100);
      assertThatThrownBy(() -> next.commit(CommitKind.APPEND, "dt=2"))
          .isInstanceOf(InvalidRecordException.class)
          .hasMessageContaining("s3://lake/sales/_repave/head.json is missing")
          .hasMessageContaining("remove its delete marker");
      assertThatThrownBy(() -> next.open().adopt()).isInstanceOf(InvalidRecordException.class);
      assertThatThrownBy(() -> next.open().previewAdoption())
          .isInstanceOf(InvalidRecordException.class);
    }
    assertThat(table.store.objects()).isEqualTo(before);
  }

  @Test
  void aFinishedCommitIsFoundAlsoAfterAPageOfPartitions() throws Exception {
    for (int files : new int[] {0, PAGE + 1}) {
      TestTable table = new TestTable();
      for (int file = 0; file < files; file++) {
        table.foreign("A=%05d/part-0.parquet".formatted(file));
      }
      assertFinishedCommitIsFound(table);
    }
  }

  /** As a MapReduce job with many tasks leaves them when it dies. */
  @Test
  void aFinishedCommitIsFoundAlsoAfterAPageOfMessages() throws Exception {
    TestTable table = new TestTable();
    for (int task = 0; task < PAGE + 1; task++) {
      table.foreign("_repave/commits/0-a/task-%05d-0".formatted(task));
    }
    assertFinishedCommitIsFound(table);
  }

  private static void assertFinishedCommitIsFound(TestTable table) throws Exception {
    table.foreign("_repave/commits/1-a/manifest.json.gz");
    table.foreign("_repave/commits/1-a/report.json");
    assertThatThrownBy(() -> table.commit(CommitKind.APPEND, "dt=1"))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("_repave/commits/1-a/report.json");
  }

  /** It may have been written after the table was dropped. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "_repave/checkpoints/1.json.gz",
        "_repave/commits/1-a/manifest.json.gz",
        "_repave/commits/1-a/report.json",
        "_repave/tokens/61.json",
        "_repave/commits/1-a/uploads.json.gz",
        "_repave/commits/1-a/uploads-00000.json.gz",
        "_repave/commits/1-a/task-0",
        "_repave/commits/1-a/heartbeat.json",
        "_repave/jobs/job_1-0",
        "_repave/probe-1",
        "dt=1/_repave/tokens/61.json",
        "_repave.old/tokens/61.json",
      })
  void whatADeadOrSlowProcessLeavesStopsNobody(String key) throws Exception {
    TestTable table = new TestTable();
    table.foreign(key);
    table.commit(CommitKind.APPEND, "dt=2");
    assertThat(table.head().version()).isEqualTo(1);
  }

  @Test
  void aDroppedTableBeginsAgain() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    table.store.delete(List.copyOf(table.store.objects().keySet()));
    table.commit(CommitKind.APPEND, "dt=1");
    assertThat(table.head().version()).isEqualTo(1);
  }

  /** Its records are there between the look at the head and the look at the folder. */
  @Test
  void aTableThatAnotherJobBeginsMeanwhileIsNoReasonToRefuse() throws Exception {
    TestTable table = new TestTable();
    OnceBefore begins =
        new OnceBefore(
            (call, at) -> call == StoreCall.LIST && at.equals(table.paths.root()),
            () -> table.unfinished(Step.PUBLISH, CommitKind.APPEND, "dt=1"));
    TestJob job = table.job(table.before(begins), CommitKind.APPEND, "dt=2");
    assertThat(begins.happened()).isTrue();
    job.commit();
    assertThat(table.head().active()).hasSize(1);
    assertThat(table.head().version()).isEqualTo(1);
  }

  /** The folders that have no files now would keep the manifests of an earlier table. */
  @Test
  void aTableThatManifestsFollowDoesNotBeginAmongOthers() throws Exception {
    TestTable table = new TestTable();
    table.configure(it -> it.followers(List.of(FollowerKind.SYMLINK)));
    String left = "_symlink_format_manifest/dt=0/manifest";
    table.foreign(left);
    assertThatThrownBy(() -> table.commit(CommitKind.APPEND, "dt=1"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("There are symlink manifests");
    table.store.delete(List.of(table.paths.root().resolve(left)));
    table.commit(CommitKind.APPEND, "dt=1");
    assertThat(table.head().version()).isEqualTo(1);
  }
}
