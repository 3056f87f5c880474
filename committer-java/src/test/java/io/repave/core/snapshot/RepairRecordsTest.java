package io.repave.core.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** The records of a table that lost some of its records are written anew from its files. */
class RepairRecordsTest {
  private final TestTable table = new TestTable();

  /** A table whose second manifest is gone. */
  private void damaged() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    CommitId lost = table.commit(CommitKind.APPEND, "dt=2").by();
    table.commit(CommitKind.APPEND, "dt=3");
    table.store.delete(List.of(table.paths.manifest(lost)));
  }

  @Test
  void anAdoptionThatCannotBePlannedFailsBeforeItIsDecided() throws Exception {
    damaged();
    var before = table.store.objects().keySet().toArray(new Location[0]);
    assertThatThrownBy(() -> table.open().adopt())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("is missing")
        .hasMessageContaining("repave repair s3://lake/sales");
    assertThat(table.store.objects().keySet()).containsExactly(before);
    table.commit(CommitKind.DYNAMIC, "dt=1");
  }

  @Test
  void aRepairRecordsTheFilesInTheTablesFolder() throws Exception {
    damaged();
    table.foreign("dt=9/from-elsewhere");
    RepairReport repaired = table.open().repair();
    assertThat(repaired.version()).isEqualTo(3);
    assertThat(repaired.files()).isEqualTo(4);
    assertThat(repaired.lostCommits()).isZero();
    assertThat(table.recorded())
        .containsExactly(
            "dt=1/commit-000001",
            "dt=2/commit-000002",
            "dt=3/commit-000003",
            "dt=9/from-elsewhere");
    table.commit(CommitKind.DYNAMIC, "dt=2");
    table.open().adopt();
    assertThat(table.recorded())
        .containsExactly(
            "dt=1/commit-000001",
            "dt=2/commit-000004",
            "dt=3/commit-000003",
            "dt=9/from-elsewhere");
    assertThat(table.history()).hasSize(5);
  }

  @Test
  void aRepairStartsANewHistoryWhenTheOldOneIsGone() throws Exception {
    table.checkpointEvery(5);
    for (int i = 0; i < 60; i++) {
      table.commit(CommitKind.DYNAMIC, "dt=" + i % 3);
    }
    String name = table.head().checkpoint();
    table.store.delete(List.of(table.paths.checkpoint(name)));
    assertThatThrownBy(() -> table.history()).isInstanceOf(InvalidRecordException.class);
    table.configure(it -> it.allowed(List.of(table.paths.root())));
    RepairReport repaired = table.open().repair();
    assertThat(repaired.lostCommits()).isBetween(1L, 55L);
    assertThat(table.history()).hasSize((int) (60 - repaired.lostCommits()));
    assertThat(table.recorded()).hasSize(3);
    table.commit(CommitKind.STATIC, "dt=1");
    assertThat(table.recorded()).containsExactly("dt=1/commit-000061");
  }

  @Test
  void aRepairIsRefusedWithUnfinishedCommitsAndOnSnapshotTables() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(() -> table.open().repair())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave recover");
    TestTable snapshots = new TestTable(Readers.SNAPSHOT);
    snapshots.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> snapshots.open().repair())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("cannot be rebuilt");
    assertThatThrownBy(() -> new TestTable().open().repair())
        .isInstanceOf(InvalidConfigException.class);
  }

  @Test
  void aTableWithoutAVersionIsNotRepaired() throws Exception {
    table.foreign("dt=1/old.parquet");
    CommitId id = table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=2");
    table.open().cancel(id.id());
    assertThatThrownBy(() -> table.open().repair())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("no history to repair")
        .hasMessageContaining("repave adopt");
    table.open().adopt();
    assertThat(table.recorded()).containsExactly("dt=1/old.parquet");
  }

  @Test
  void aRepairRecordsNoFileOfACommitThatIsRevertedMeanwhile() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    OnceBefore commits =
        new OnceBefore(
            StoreCall.LIST, () -> table.unfinished(Step.VERIFY, CommitKind.APPEND, "dt=2"));
    OnceBefore reverts =
        new OnceBefore(
            (call, at) -> commits.happened() && call != StoreCall.LIST,
            () -> {
              CommitId id = table.head().active().get(0).id();
              table.store.delete(List.of(table.paths.uploads(id)));
              table.open().cancel(id.id());
            });
    Table repairing =
        table.before(
            (call, at) -> {
              reverts.at(call, at);
              commits.at(call, at);
            });
    assertThatThrownBy(repairing::repair)
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("Run the repair again");
    assertThat(reverts.happened()).isTrue();
    table.open().repair();
    assertThat(table.writers()).containsAll(table.recorded());
  }

  /** It may have listed files of the commit, which can still be reverted. */
  @Test
  void aRepairFailsWhileACommitIsUnfinished() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    OnceBefore begins =
        new OnceBefore(
            StoreCall.LIST, () -> table.unfinished(Step.PUBLISH, CommitKind.APPEND, "dt=2"));
    assertThatThrownBy(() -> table.before(begins).repair())
        .isInstanceOf(CommitConflictException.class);
    assertThat(table.recorded()).containsExactly("dt=1/commit-000001");
  }

  @Test
  void aRepairFailsWhenAVersionWasPublishedOrTheRecordsWereRepairedMeanwhile() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    List<OnceBefore> others =
        List.of(
            new OnceBefore(StoreCall.PUT_IF_MATCH, () -> table.commit(CommitKind.DYNAMIC, "dt=1")),
            new OnceBefore(StoreCall.PUT_IF_MATCH, () -> table.open().repair()));
    for (OnceBefore other : others) {
      assertThatThrownBy(() -> table.before(other).repair())
          .isInstanceOf(CommitConflictException.class);
      assertThat(table.recorded()).containsExactly("dt=1/commit-000002");
    }
  }

  /** A vacuum swaps the head twice: with a new fence, and then with a later begin of history. */
  @Test
  void aRepairThatBeginsBetweenTheSwapsOfAVacuumDoesNotMoveTheHistoryBack() throws Exception {
    long day = 86_400_000;
    table.configure(it -> it.historyRetentionMillis(10 * day));
    for (int i = 0; i < 30; i++) {
      table.clock.advance(day);
      table.commit(CommitKind.DYNAMIC, "dt=" + i % 3);
    }
    table.open().vacuum(day);
    table.clock.advance(5 * day);
    long before = table.head().historyFrom();
    int[] swaps = {0};
    CountDownLatch fenced = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    Table slow =
        table.before(
            (call, at) -> {
              if (call == StoreCall.PUT_IF_MATCH && ++swaps[0] == 2) {
                fenced.countDown();
                Unchecked.run(goesOn::await);
              }
            });
    FutureTask<?> vacuum = new FutureTask<>(() -> slow.vacuum(day));
    new Thread(vacuum).start();
    fenced.await();
    OnceBefore ends =
        new OnceBefore(
            StoreCall.PUT_IF_MATCH,
            () -> {
              goesOn.countDown();
              vacuum.get();
            });
    assertThatThrownBy(() -> table.before(ends).repair())
        .isInstanceOf(CommitConflictException.class);
    assertThat(table.head().historyFrom()).isGreaterThan(before);
  }

  @Test
  void aRepairLeavesTheFilesOfATableInsideTheFolderToIt() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    TestTable inner =
        new TestTable(table, new Location("lake", "sales/inner"), Readers.LISTING, 100);
    inner.commit(CommitKind.APPEND, "dt=1");
    assertThat(table.open().repair().files()).isEqualTo(1);
    assertThat(table.recorded()).containsExactly("dt=1/commit-000001");
  }
}
