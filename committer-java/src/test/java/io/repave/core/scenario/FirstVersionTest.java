package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.testing.OnceBefore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.SymlinkReplay;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The first version of a snapshot table has the files that were there before. A job that began
 * before the table had a head cannot take that version.
 */
class FirstVersionTest {
  private static final String OLD = "dt=1/old.parquet";

  private final TestTable table = new TestTable();

  /** A job begins, and its adoption is decided when it dies. */
  private void dieInAdoption() {
    Table dying = table.dyingAt(Step.PLAN);
    assertThatThrownBy(() -> dying.begin(table.request(CommitKind.APPEND)))
        .isInstanceOf(ProcessDied.class);
  }

  /** An append that began without a head, and then the adoption of a job that died. */
  private TestJob earlyJobAndDeadAdoption() throws Exception {
    table.foreign(OLD);
    TestJob early = table.job(CommitKind.APPEND, "dt=2");
    table.configure(settings -> settings.readers(Readers.SNAPSHOT));
    dieInAdoption();
    return early;
  }

  @Test
  void aJobThatBeganBeforeACancelledAdoptionIsRefused() throws Exception {
    TestJob early = earlyJobAndDeadAdoption();
    table.open().cancel(table.head().active().get(0).id().id());
    assertThatThrownBy(early::commit)
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("began before")
        .hasMessageContaining("Run the job again");
    table.commit(CommitKind.APPEND, "dt=3");
    assertThat(table.recorded()).containsExactly(OLD, "dt=3/commit-000003");
  }

  @Test
  void aJobThatBeganBeforeAnAdoptionIsPublishedAfterIt() throws Exception {
    earlyJobAndDeadAdoption().commit();
    assertThat(table.recorded()).containsExactly(OLD, "dt=2/commit-000001");
  }

  @Test
  void anAdoptionNamesNoFileOfAnAppendThatIsUnderWay() throws Exception {
    table.foreign(OLD);
    Table dying =
        table.before(
            (call, at) -> {
              if (call == StoreCall.HEAD && at.key().contains("part-")) {
                throw ProcessDied.at("Verify");
              }
            });
    TestJob early = table.job(dying, CommitKind.APPEND, "dt=2", "dt=3");
    var lost = table.store.openUploads().get(1);
    table.store.abort(lost.at(), lost.uploadId());
    table.configure(settings -> settings.readers(Readers.SNAPSHOT));
    OnceBefore slow =
        new OnceBefore(
            (call, at) ->
                call == StoreCall.LIST
                    && table.open().head().filter(head -> !head.active().isEmpty()).isPresent(),
            () -> assertThatThrownBy(early::commit).isInstanceOf(ProcessDied.class));
    table.before(slow).begin(table.request(CommitKind.APPEND));
    table.open().recover();
    assertThat(table.writers()).containsAll(table.recorded());
  }

  /** Followers begin with the first commit, and would not name the files from before it. */
  @Test
  void theFirstJobOfAFollowedTableAdoptsAgainAfterACancel() throws Exception {
    table.foreign(OLD);
    table.configure(settings -> settings.followers(List.of(FollowerKind.SYMLINK)));
    dieInAdoption();
    table.open().cancel(table.head().active().get(0).id().id());
    table.commit(CommitKind.APPEND, "dt=3");
    assertThat(SymlinkReplay.live(table.store, table.paths).stream().map(TestTable::writer))
        .containsExactlyInAnyOrder(OLD, "dt=3/commit-000002");
  }

  /** Of two first jobs, the slower one's adoption comes when a third one has written its files. */
  @Test
  void aLateAdoptionNamesNoFileOfARunningJob() throws Exception {
    table.configure(settings -> settings.readers(Readers.SNAPSHOT));
    table.foreign(OLD);
    OnceBefore others =
        new OnceBefore(
            (call, at) -> call == StoreCall.PUT_IF_ABSENT && at.equals(table.paths.head()),
            () -> {
              table.commit(CommitKind.APPEND, "dt=2");
              table.job(CommitKind.APPEND, "dt=3");
            });
    table.before(others).begin(table.request(CommitKind.APPEND));
    assertThat(others.happened()).isTrue();
    assertThat(table.head().version()).isEqualTo(2);
    assertThat(table.recorded()).containsExactly(OLD, "dt=2/commit-000002");
  }

  /** Otherwise the adoption would be planned later, and name the files of this job's tasks. */
  @Test
  void aJobBeginsAfterTheAdoptionOfADeadOneIsFinished() throws Exception {
    table.configure(settings -> settings.readers(Readers.SNAPSHOT));
    table.foreign(OLD);
    dieInAdoption();
    table.job(CommitKind.APPEND, "dt=2");
    table.open().recover();
    assertThat(table.recorded()).containsExactly(OLD);
  }

  /** As above, but an operator cancels that adoption meanwhile, and another job begins one. */
  @Test
  void aJobBeginsAfterTheAdoptionThatFollowsACancelledOneIsFinished() throws Exception {
    table.configure(settings -> settings.readers(Readers.SNAPSHOT));
    table.foreign(OLD);
    dieInAdoption();
    CommitId first = table.head().active().get(0).id();
    OnceBefore others =
        new OnceBefore(
            (call, at) -> call == StoreCall.READ && at.equals(table.paths.uploads(first)),
            () -> {
              table.open().cancel(first.id());
              dieInAdoption();
            });
    TestJob job = table.job(table.before(others), CommitKind.APPEND, "dt=2");
    assertThat(others.happened()).isTrue();
    assertThat(table.recorded()).containsExactly(OLD);
    job.commit();
    assertThat(table.recorded()).hasSize(2).contains(OLD);
  }
}
