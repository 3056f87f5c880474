package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.OnceBefore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Vacuum removes the records of old commits. The live files and the later history stay. */
class ExpiredHistoryTest {
  private static final long DAY = 86_400_000;
  private static final Set<StoreCall> WRITES =
      Set.of(StoreCall.PUT, StoreCall.PUT_IF_ABSENT, StoreCall.PUT_IF_MATCH);

  private TestTable table(Readers readers) {
    TestTable table = new TestTable(readers);
    table.configure(it -> it.historyRetentionMillis(10 * DAY));
    table.checkpointEvery(5);
    return table;
  }

  /** Commits once a day, to one of three partitions. */
  private static void days(TestTable table, int days) throws Exception {
    for (int day = 0; day < days; day++) {
      table.clock.advance(DAY);
      table.commit(
          table.request(CommitKind.DYNAMIC, "run-" + table.clock.wallMillis()), parts(day));
    }
  }

  private static List<String> parts(int day) {
    return List.of("dt=" + day % 3);
  }

  private static Head head(TestTable table) throws IOException, InterruptedException {
    return table.head();
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void recordsOlderThanTheRetentionAreRemovedAndTheTableStaysTheSame(Readers readers)
      throws Exception {
    TestTable table = table(readers);
    days(table, 60);
    List<String> live = table.recorded();
    Map<String, String> rows = table.data();

    table.open().vacuum(DAY);

    assertThat(head(table).historyFrom()).isBetween(45L, 53L);
    assertThat(table.content(table.paths.head()))
        .as("version 0.1 would drop history-from; it refuses format 2")
        .asString()
        .startsWith("{\"format\":2,");
    assertThat(table.history())
        .extracting(LoggedCommit::version)
        .first()
        .isEqualTo(head(table).historyFrom());
    assertThat(table.records("tokens/")).isLessThanOrEqualTo(20);
    assertThat(table.records("refused/")).isZero();
    assertThat(table.recorded()).isEqualTo(live);
    if (readers == Readers.LISTING) {
      assertThat(table.data()).isEqualTo(rows);
    }
    days(table, 3);
    if (readers == Readers.LISTING) {
      table.open().adopt();
    }
    assertThat(table.recorded()).hasSize(3);
    assertThat(table.writers()).containsAll(table.recorded());
  }

  /** The number of records after twenty more weeks, with a vacuum every week. */
  private static long recordsAfterTwentyWeeks(TestTable table) throws Exception {
    for (int week = 0; week < 20; week++) {
      days(table, 7);
      table.open().vacuum(DAY);
    }
    return table.records("");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void theNumberOfRecordsStopsGrowing(Readers readers) throws Exception {
    TestTable table = table(readers);
    long first = recordsAfterTwentyWeeks(table);
    long second = recordsAfterTwentyWeeks(table);
    assertThat(second).isLessThanOrEqualTo(first + 10);
    assertThat(table.recorded()).hasSize(3);
  }

  @Test
  void aVacuumReadsOnlyWhatIsNewSinceTheLastOne() throws Exception {
    TestTable table = table(Readers.SNAPSHOT);
    table.configure(it -> it.historyRetentionMillis(1_000 * DAY));
    table.checkpointEvery(200); // a small snapshot table has one after a quarter of it
    days(table, 100);
    table.open().vacuum(DAY);
    days(table, 3);
    long before = table.counted.counts().get(Request.GET);
    table.open().vacuum(DAY);
    assertThat(table.counted.counts().get(Request.GET) - before).isLessThan(20);
  }

  @Test
  void recordsPublishedSinceTheBaseOfAnUnfinishedCommitAreKept() throws Exception {
    TestTable table = table(Readers.LISTING);
    days(table, 10);
    CommitId stuck = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=9");
    // Without its ledger nobody can finish the commit. Appends do not wait for it.
    byte[] ledger = table.content(table.paths.uploads(stuck));
    table.store.delete(List.of(table.paths.uploads(stuck)));
    for (int day = 0; day < 40; day++) {
      table.clock.advance(DAY);
      table.commit(CommitKind.APPEND, "dt=1");
    }
    table.open().vacuum(DAY);
    assertThat(head(table).historyFrom()).isBetween(5L, 11L);

    table.store.put(table.paths.uploads(stuck), ByteBuffer.wrap(ledger));
    table.open().recover();
    assertThat(table.writers()).contains("dt=9/commit-000011");
  }

  /** A job that has no upload yet when vacuum looks for abandoned ones is not cancelled. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void recordsThatAJobNeedsWhichIsDecidedBeforeTheHistoryEndsAreKept(Readers readers)
      throws Exception {
    TestTable table = table(readers);
    days(table, 5);
    Table dying = table.dyingAt(Step.COMPLETE_UPLOADS);
    WriteTransaction job = dying.begin(table.request(CommitKind.APPEND));
    days(table, 40);
    List<LoggedCommit> history = table.history();
    int[] swaps = {0};
    OnceBefore decided =
        new OnceBefore(
            (call, at) -> call == StoreCall.PUT_IF_MATCH && ++swaps[0] == 2,
            () ->
                assertThatThrownBy(() -> job.commit(table.ledgerOf(job, "dt=9")))
                    .isInstanceOf(ProcessDied.class));

    table.before(decided).vacuum(DAY);

    assertThat(decided.happened()).isTrue();
    assertThat(head(table).historyFrom()).isZero();
    assertThat(table.store.objects())
        .containsKeys(
            history.stream().map(it -> table.paths.manifest(it.id())).toArray(Location[]::new));
    table.open().recover();
    assertThat(table.recorded()).contains("dt=9/commit-000006");
  }

  @ParameterizedTest
  @CsvSource({"DYNAMIC, FAIL", "DYNAMIC, LAST_WRITER", "APPEND, FAIL"})
  void aJobThatBeganBeforeTheRetainedHistoryFailsAndPublishesNothing(
      CommitKind kind, ConflictPolicy policy) throws Exception {
    TestTable table = table(Readers.LISTING);
    table.configure(settings -> settings.conflicts(policy));
    days(table, 3);
    WriteTransaction asleep = table.open().begin(table.request(kind));
    days(table, 40);
    table.open().vacuum(DAY);
    assertThat(head(table).historyFrom()).isGreaterThan(4);
    // The job uploads after the vacuum, so the vacuum could not cancel it.
    var ledger = TestTable.ledger(table.upload(asleep, List.of("dt=0")));
    var before = table.data();

    assertThatThrownBy(() -> asleep.commit(ledger))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("begins at version");
    assertThat(table.data()).isEqualTo(before);
  }

  @Test
  void theNewestCommitsAreFoundInAFewRequestsHoweverManyThereAre() throws Exception {
    TestTable table = new TestTable();
    days(table, 700);
    long before = table.counted.counts().get(Request.GET);
    assertThat(table.open().history(20)).hasSizeGreaterThanOrEqualTo(20);
    assertThat(table.counted.counts().get(Request.GET) - before).isLessThanOrEqualTo(5);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aVacuumThatDiesAnywhereIsFinishedByTheNext(Readers readers) throws Exception {
    boolean died = true;
    for (int call = 1; died; call += 3) {
      TestTable table = table(readers);
      days(table, 24);
      List<String> live = table.recorded();
      try {
        table.through(table.dyingBefore(call)).vacuum(DAY);
        died = false;
      } catch (ProcessDied expected) {
        assertThat(table.recorded()).isEqualTo(live);
      }
      table.open().vacuum(DAY);
      table.open().vacuum(DAY);
      assertThat(table.recorded()).as("died before call %d", call).isEqualTo(live);
      assertThat(table.history()).hasSizeLessThan(14);
      assertThat(table.records("commits/")).isLessThan(14 * 4);
    }
  }

  /** Only the manifest of the commit that replaced it names a file of another writer. */
  @Test
  void aVacuumThatDiesAnywhereLeavesNoReplacedFile() throws Exception {
    boolean died = true;
    for (int call = 1; died; call++) {
      TestTable table = table(Readers.SNAPSHOT);
      table.foreign("dt=0/old.parquet");
      days(table, 16);
      try {
        table.through(table.dyingBefore(call)).vacuum(DAY);
        died = false;
      } catch (ProcessDied expected) {
        table.open().vacuum(DAY);
      }
      table.open().vacuum(DAY);
      assertThat(table.writers())
          .as("died before call %d", call)
          .containsAll(table.recorded())
          .doesNotContain("dt=0/old.parquet");
      assertThat(head(table).historyFrom()).isGreaterThan(2);
    }
  }

  /** The rollback restores files that the vacuum was about to delete. */
  @Test
  void aRollbackDuringAVacuumKeepsTheHistory() throws Exception {
    TestTable table = table(Readers.SNAPSHOT);
    table.foreign("dt=0/old.parquet");
    days(table, 16);
    OnceBefore between =
        new OnceBefore(
            (call, at) -> WRITES.contains(call) && at.key().endsWith("head.json"),
            () -> table.open().rollback(1));
    table.before(between).vacuum(DAY);
    assertThat(between.happened()).isTrue();
    assertThat(head(table).historyFrom()).isZero();
    assertThat(head(table).vacuumedVersion()).isZero();
    assertThat(table.writers()).containsAll(table.recorded()).contains("dt=0/old.parquet");

    days(table, 16);
    table.open().vacuum(DAY);
    assertThat(head(table).historyFrom()).isGreaterThan(2);
    assertThat(table.writers()).containsAll(table.recorded()).doesNotContain("dt=0/old.parquet");
  }

  @Test
  void aVacuumSwapsTheHeadTwiceWhenHistoryEndsAndOtherwiseOnce() throws Exception {
    for (Readers readers : Readers.values()) {
      TestTable table = table(readers);
      days(table, 16);
      long before = table.counted.counts().get(Request.PUT);
      table.open().vacuum(DAY);
      long ended = table.counted.counts().get(Request.PUT);
      table.open().vacuum(DAY);
      long same = table.counted.counts().get(Request.PUT);
      // A listing table also needs a checkpoint with its files: an index and a shard.
      assertThat(ended - before).isEqualTo(readers == Readers.LISTING ? 4 : 2);
      assertThat(same - ended).isEqualTo(1);
    }
  }

  /** Both replace the checkpoint of version 20. The later one must not undo the earlier one. */
  @Test
  void aVacuumThatIsOvertakenLeavesATokenThatWasUsedAgain() throws Exception {
    TestTable table = table(Readers.LISTING);
    String token = "run-" + (table.clock.wallMillis() + DAY);
    // The head names the tokens of its last 32 commits.
    days(table, 60);
    OnceBefore overtaken =
        new OnceBefore(
            (call, at) -> WRITES.contains(call) && at.key().endsWith("head.json"),
            () -> {
              table.open().vacuum(DAY);
              table.commit(table.request(CommitKind.APPEND, token), List.of("dt=9"));
            });
    table.before(overtaken).vacuum(DAY);

    assertThat(overtaken.happened()).isTrue();
    assertThat(head(table).historyFrom()).isGreaterThan(1);
    assertThat(table.store.head(table.paths.token(token))).isPresent();
  }

  @Test
  void aConcurrentCheckpointKeepsTheResultOfTheVacuum() throws Exception {
    TestTable table = table(Readers.LISTING);
    days(table, 20);
    assertThat(head(table).checkpointVersion()).isEqualTo(20);
    CountDownLatch found = new CountDownLatch(1);
    CountDownLatch swaps = new CountDownLatch(1);
    Table slow =
        table.before(
            (call, at) -> {
              if (WRITES.contains(call) && at.key().endsWith("head.json")) {
                found.countDown();
                Unchecked.run(swaps::await);
              }
            });
    FutureTask<VacuumReport> vacuum = new FutureTask<>(() -> slow.vacuum(DAY));
    new Thread(vacuum).start();
    found.await();
    days(table, 4);
    OnceBefore between =
        new OnceBefore(
            (call, at) -> WRITES.contains(call) && at.key().contains("/checkpoints/"),
            () -> {
              swaps.countDown();
              vacuum.get();
            });
    TestJob job = table.job(table.before(between), CommitKind.DYNAMIC, "dt=0");
    job.commit();

    assertThat(between.happened()).isTrue();
    assertThat(head(table).historyFrom()).isGreaterThan(5);
    assertThat(table.recorded()).hasSize(3);
    table.open().adopt();
    assertThat(table.writers()).containsExactlyInAnyOrderElementsOf(table.recorded());
  }

  @Test
  void aRepairFailsWhenAVacuumRanMeanwhile() throws Exception {
    TestTable table = table(Readers.LISTING);
    days(table, 30);
    OnceBefore between =
        new OnceBefore(
            (call, at) -> WRITES.contains(call) && at.key().endsWith("head.json"),
            () -> table.open().vacuum(DAY));
    assertThatThrownBy(() -> table.before(between).repair())
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("Run the repair again");
    assertThat(head(table).historyFrom()).isGreaterThan(15);
    table.open().repair();
    assertThat(head(table).historyFrom()).isGreaterThan(15);
    assertThat(table.recorded()).hasSize(3);
  }

  @Test
  void aDryRunWritesNothing() throws Exception {
    TestTable table = table(Readers.LISTING);
    days(table, 60);
    var before = Map.copyOf(table.store.objects());
    long found = table.open().vacuumDryRun(DAY).records();
    assertThat(found).isGreaterThan(100);
    assertThat(table.store.objects()).isEqualTo(before);
    assertThat(table.open().vacuum(DAY).records()).isEqualTo(found);
  }

  @Test
  void aListingTableThatLostAManifestKeepsItsHistory() throws Exception {
    TestTable table = table(Readers.LISTING);
    days(table, 30);
    table.store.delete(List.of(table.paths.manifest(table.history().get(3).id())));
    table.open().vacuum(DAY);
    assertThat(head(table).historyFrom()).isZero();
    assertThat(table.history()).hasSize(30);
    table.open().repair();
    table.open().vacuum(DAY);
    assertThat(head(table).historyFrom()).isGreaterThan(15);
  }
}
