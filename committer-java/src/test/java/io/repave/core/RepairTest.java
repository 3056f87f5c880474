package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.RepairReport;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.InterceptingStore;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ways back for a table whose records are damaged, and for a commit that cannot be planned. */
class RepairTest {
  private final Lake lake = new Lake();

  /** A table whose second manifest is gone. */
  private void damaged() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    CommitId lost = lake.commit(CommitKind.APPEND, "dt=2").by();
    lake.commit(CommitKind.APPEND, "dt=3");
    lake.store.delete(List.of(lake.paths.manifest(lost)));
  }

  @Test
  void anAdoptionThatCannotBePlannedIsRefusedBeforeItIsDecided() throws Exception {
    damaged();
    var before = lake.store.objects().keySet().toArray(new Location[0]);
    assertThatThrownBy(() -> lake.table().adopt())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("is missing")
        .hasMessageContaining("repave repair s3://lake/sales");
    assertThat(lake.store.objects().keySet()).containsExactly(before);
    lake.commit(CommitKind.DYNAMIC, "dt=1");
  }

  @Test
  void repairedRecordsNameTheFilesThatLieThere() throws Exception {
    damaged();
    lake.foreign("dt=9/from-elsewhere");
    RepairReport repaired = lake.table().repair();
    assertThat(repaired.version()).isEqualTo(3);
    assertThat(repaired.files()).isEqualTo(4);
    assertThat(repaired.lostCommits()).isZero();
    assertThat(lake.recorded())
        .containsExactly(
            "dt=1/commit-000001",
            "dt=2/commit-000002",
            "dt=3/commit-000003",
            "dt=9/from-elsewhere");
    lake.commit(CommitKind.DYNAMIC, "dt=2");
    lake.table().adopt();
    assertThat(lake.recorded())
        .containsExactly(
            "dt=1/commit-000001",
            "dt=2/commit-000004",
            "dt=3/commit-000003",
            "dt=9/from-elsewhere");
    assertThat(lake.table().history()).hasSize(5);
  }

  @Test
  void repairedRecordsBeginAnewWhereTheHistoryIsGone() throws Exception {
    lake.checkpointEvery(5);
    for (int i = 0; i < 60; i++) {
      lake.commit(CommitKind.DYNAMIC, "dt=" + i % 3);
    }
    String name = lake.table().head().orElseThrow().checkpoint();
    lake.store.delete(List.of(lake.paths.checkpoint(name)));
    assertThatThrownBy(() -> lake.table().history()).isInstanceOf(InvalidRecordException.class);
    RepairReport repaired = lake.table().repair();
    assertThat(repaired.lostCommits()).isBetween(1L, 55L);
    assertThat(lake.table().history()).hasSize((int) (60 - repaired.lostCommits()));
    assertThat(lake.recorded()).hasSize(3);
    lake.commit(CommitKind.STATIC, "dt=1");
    assertThat(lake.recorded()).containsExactly("dt=1/commit-000061");
  }

  @Test
  void recordsAreNotRepairedBesideUnfinishedCommitsNorOnSnapshotTables() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(() -> lake.table().repair())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave recover");
    Lake snapshots = new Lake(Readers.SNAPSHOT);
    snapshots.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> snapshots.table().repair())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("cannot be written anew");
    assertThatThrownBy(() -> new Lake().table().repair())
        .isInstanceOf(InvalidConfigException.class);
  }

  /** A decided commit of a store that fails to list. */
  private WriteTransaction unplanned() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    Table blind =
        lake.through(
            new InterceptingStore(lake.counted) {
              @Override
              protected void before(Request request, Location at) throws StoreException {
                if (request == Request.LIST) {
                  throw new StoreException(Kind.INVALID, "listing is not for you");
                }
              }
            });
    WriteTransaction job = blind.begin(lake.request(CommitKind.DYNAMIC));
    var ledger = Lake.ledger(lake.upload(job, List.of("dt=1", "dt=2")));
    assertThatThrownBy(() -> job.commit(ledger)).isInstanceOf(CommitStateUnknownException.class);
    return job;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCommitThatCannotBePlannedIsTakenBackOnRequest(boolean byFolder) throws Exception {
    CommitId id = unplanned().id();
    RecoveredCommit cancelled = lake.table().cancel(byFolder ? id.folder() : id.id());
    assertThat(cancelled.outcome()).isEqualTo(RecoveredCommit.Outcome.REVERTED);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
    assertThat(lake.store.openUploads()).isEmpty();
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(lake.writers()).containsExactly("dt=1/commit-000003");
  }

  @Test
  void aCommitWhoseLedgerIsGoneIsTakenBackByTheNamesOfItsFiles() throws Exception {
    CommitId id = unplanned().id();
    lake.store.delete(List.of(lake.paths.uploads(id)));
    assertThatThrownBy(() -> lake.table().recover()).isInstanceOf(InvalidRecordException.class);
    lake.table().cancel(id.id());
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
    assertThat(lake.store.openUploads()).isEmpty();
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
  }

  @Test
  void aDriverThatIsStillAtItLearnsThatItsCommitWasCancelled() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction[] slow = new WriteTransaction[1];
    Table slowly =
        lake.through(
            new InterceptingStore(lake.counted) {
              private boolean cancelled;

              @Override
              protected void before(Request request, Location at) throws StoreException {
                if (request == Request.LIST && !cancelled && slow[0] != null) {
                  cancelled = true;
                  try {
                    lake.table().cancel(slow[0].id().id());
                  } catch (Exception e) {
                    throw new AssertionError(e);
                  }
                }
              }
            });
    slow[0] = slowly.begin(lake.request(CommitKind.DYNAMIC));
    var ledger = Lake.ledger(lake.upload(slow[0], List.of("dt=1", "dt=2")));
    assertThatThrownBy(() -> slow[0].commit(ledger)).hasMessageContaining("taken back");
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
  }

  @Test
  void aCommitThatIsPlannedOrPublishedIsNotCancelled() throws Exception {
    CommitId planned = lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=1");
    CommitId published = lake.unfinished(Step.FINISH, CommitKind.APPEND, "dt=2");
    assertThatThrownBy(() -> lake.table().cancel(planned.id()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("it is planned")
        .hasMessageContaining("repave recover");
    assertThatThrownBy(() -> lake.table().cancel(published.id()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("it is published");
    assertThatThrownBy(() -> lake.table().cancel("nobody"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("no unfinished commit");
    assertThat(lake.table().recover()).hasSize(2);
  }
}
