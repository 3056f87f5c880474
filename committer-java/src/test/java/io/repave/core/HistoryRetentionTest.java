package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
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
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.vacuum.VacuumReport;
import io.repave.testing.InterceptingStore;
import io.repave.testing.ProcessDied;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Vacuum removes the records of old commits; what is left of the table says all that counts. */
class HistoryRetentionTest {
  private static final long DAY = 86_400_000;

  private Lake lake(Readers readers) {
    Lake lake = new Lake(readers);
    lake.settings = lake.settings.change().historyRetentionMillis(10 * DAY).done();
    lake.checkpointEvery(5);
    return lake;
  }

  /** One commit a day, to one of three partitions. */
  private static void days(Lake lake, int days) throws Exception {
    for (int day = 0; day < days; day++) {
      lake.clock.advance(DAY);
      lake.commit(lake.request(CommitKind.DYNAMIC, "run-" + lake.clock.wallMillis()), parts(day));
    }
  }

  private static List<String> parts(int day) {
    return List.of("dt=" + day % 3);
  }

  private static Head head(Lake lake) throws IOException, InterruptedException {
    return lake.table().head().orElseThrow();
  }

  private static long records(Lake lake, String folder) {
    return lake.store.objects().keySet().stream()
        .filter(at -> at.key().contains("/_repave/" + folder))
        .count();
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void recordsOlderThanTheRetentionGoAndTheTableStaysTheSame(Readers readers) throws Exception {
    Lake lake = lake(readers);
    days(lake, 60);
    List<String> live = lake.recorded();
    Map<String, String> rows = lake.data();

    lake.table().vacuum(DAY);

    assertThat(head(lake).historyFrom()).isBetween(45L, 53L);
    assertThat(lake.table().history())
        .extracting(LoggedCommit::version)
        .first()
        .isEqualTo(head(lake).historyFrom());
    assertThat(records(lake, "tokens/")).isLessThanOrEqualTo(20);
    assertThat(records(lake, "refused/")).isZero();
    assertThat(lake.recorded()).isEqualTo(live);
    if (readers == Readers.LISTING) {
      assertThat(lake.data()).isEqualTo(rows);
    }
    days(lake, 3);
    if (readers == Readers.LISTING) {
      lake.table().adopt();
    }
    assertThat(lake.recorded()).hasSize(3);
    assertThat(lake.writers()).containsAll(lake.recorded());
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void theNumberOfRecordsStopsGrowing(Readers readers) throws Exception {
    Lake lake = lake(readers);
    LongUnaryOperator year =
        from -> {
          try {
            for (int week = 0; week < 20; week++) {
              days(lake, 7);
              lake.table().vacuum(DAY);
            }
          } catch (Exception e) {
            throw new AssertionError(e);
          }
          return records(lake, "");
        };
    long first = year.applyAsLong(0);
    long second = year.applyAsLong(1);
    assertThat(second).isLessThanOrEqualTo(first + 10);
    assertThat(lake.recorded()).hasSize(3);
  }

  @Test
  void aVacuumReadsOnlyWhatIsNewSinceTheLastOne() throws Exception {
    Lake lake = lake(Readers.SNAPSHOT);
    lake.settings = lake.settings.change().historyRetentionMillis(1_000 * DAY).done();
    lake.checkpointEvery(50);
    days(lake, 100);
    lake.table().vacuum(DAY);
    days(lake, 3);
    long before = lake.counted.counts().get(Request.GET);
    lake.table().vacuum(DAY);
    assertThat(lake.counted.counts().get(Request.GET) - before).isLessThan(20);
  }

  @Test
  void anUnfinishedCommitKeepsWhatWasPublishedSinceItsBase() throws Exception {
    Lake lake = lake(Readers.LISTING);
    days(lake, 10);
    CommitId stuck = lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=9");
    // Without its ledger nobody can finish it, and appends go on beside it.
    byte[] ledger = lake.content(lake.paths.uploads(stuck));
    lake.store.delete(List.of(lake.paths.uploads(stuck)));
    for (int day = 0; day < 40; day++) {
      lake.clock.advance(DAY);
      lake.commit(CommitKind.APPEND, "dt=1");
    }
    lake.table().vacuum(DAY);
    assertThat(head(lake).historyFrom()).isBetween(5L, 11L);

    lake.store.put(lake.paths.uploads(stuck), ByteBuffer.wrap(ledger));
    lake.table().recover();
    assertThat(lake.writers()).contains("dt=9/commit-000011");
  }

  @Test
  void aJobThatBeganBeforeTheHistoryFailsAndPublishesNothing() throws Exception {
    Lake lake = lake(Readers.LISTING);
    days(lake, 3);
    WriteTransaction asleep = lake.table().begin(lake.request(CommitKind.DYNAMIC));
    days(lake, 40);
    lake.table().vacuum(DAY);
    assertThat(head(lake).historyFrom()).isGreaterThan(4);
    // It uploads after the vacuum, which so saw nothing of it that it could refuse.
    var ledger = Lake.ledger(lake.upload(asleep, List.of("dt=0")));
    var before = lake.data();

    assertThatThrownBy(() -> asleep.commit(ledger))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("begins at version");
    assertThat(lake.data()).isEqualTo(before);
  }

  @Test
  void theNewestCommitsAreFoundInAFewRequestsHoweverManyThereAre() throws Exception {
    Lake lake = new Lake();
    days(lake, 700);
    long before = lake.counted.counts().get(Request.GET);
    assertThat(lake.table().history(20)).hasSizeGreaterThanOrEqualTo(20);
    assertThat(lake.counted.counts().get(Request.GET) - before).isLessThanOrEqualTo(5);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aVacuumThatDiesAnywhereIsFinishedByTheNext(Readers readers) throws Exception {
    boolean died = true;
    for (int call = 1; died; call += 3) {
      Lake lake = lake(readers);
      days(lake, 24);
      List<String> live = lake.recorded();
      try {
        lake.through(lake.dyingBefore(call)).vacuum(DAY);
        died = false;
      } catch (ProcessDied expected) {
        assertThat(lake.recorded()).isEqualTo(live);
      }
      lake.table().vacuum(DAY);
      lake.table().vacuum(DAY);
      assertThat(lake.recorded()).as("died before call %d", call).isEqualTo(live);
      assertThat(lake.table().history()).hasSizeLessThan(14);
      assertThat(records(lake, "commits/")).isLessThan(14 * 4);
    }
  }

  /** Both replace the checkpoint of version 20; the one that is later must not undo the other. */
  @Test
  void aCommitThatWritesACheckpointMeanwhileDoesNotForgetTheVacuums() throws Exception {
    Lake lake = lake(Readers.LISTING);
    days(lake, 20);
    assertThat(head(lake).checkpointVersion()).isEqualTo(20);
    CountDownLatch found = new CountDownLatch(1);
    CountDownLatch swaps = new CountDownLatch(1);
    Table slow = lake.through(pausing(lake, Request.PUT, "head.json", found, swaps));
    FutureTask<VacuumReport> vacuum = new FutureTask<>(() -> slow.vacuum(DAY));
    new Thread(vacuum).start();
    found.await();
    days(lake, 4);
    boolean[] swapped = {false};
    ObjectStore between =
        new InterceptingStore(lake.counted) {
          @Override
          protected void before(Request request, Location at) throws StoreException {
            if (!swapped[0] && request == Request.PUT && at.key().contains("/checkpoints/")) {
              swapped[0] = true;
              swaps.countDown();
              awaited(vacuum);
            }
          }
        };
    WriteTransaction job = lake.through(between).begin(lake.request(CommitKind.DYNAMIC));
    job.commit(Lake.ledger(lake.upload(job, List.of("dt=0"))));

    assertThat(swapped[0]).isTrue();
    assertThat(head(lake).historyFrom()).isGreaterThan(5);
    assertThat(lake.recorded()).hasSize(3);
    lake.table().adopt();
    assertThat(lake.writers()).containsExactlyInAnyOrderElementsOf(lake.recorded());
  }

  @Test
  void aRepairGivesWayToAVacuumThatRanMeanwhile() throws Exception {
    Lake lake = lake(Readers.LISTING);
    days(lake, 30);
    boolean[] vacuumed = {false};
    ObjectStore between =
        new InterceptingStore(lake.counted) {
          @Override
          protected void before(Request request, Location at) throws StoreException {
            if (!vacuumed[0] && request == Request.PUT && at.key().endsWith("head.json")) {
              vacuumed[0] = true;
              FutureTask<VacuumReport> vacuum = new FutureTask<>(() -> lake.table().vacuum(DAY));
              vacuum.run();
              awaited(vacuum);
            }
          }
        };
    assertThatThrownBy(() -> lake.through(between).repair())
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("run it again");
    assertThat(head(lake).historyFrom()).isGreaterThan(15);
    lake.table().repair();
    assertThat(head(lake).historyFrom()).isGreaterThan(15);
    assertThat(lake.recorded()).hasSize(3);
  }

  private static ObjectStore pausing(
      Lake lake, Request request, String name, CountDownLatch reached, CountDownLatch goesOn) {
    return new InterceptingStore(lake.counted) {
      @Override
      protected void before(Request asked, Location at) throws StoreException {
        if (asked == request && at.key().endsWith(name)) {
          reached.countDown();
          try {
            goesOn.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        }
      }
    };
  }

  private static void awaited(FutureTask<?> task) {
    try {
      task.get();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aDryRunWritesNothing() throws Exception {
    Lake lake = lake(Readers.LISTING);
    days(lake, 60);
    var before = Map.copyOf(lake.store.objects());
    long found = lake.table().rehearseVacuum(DAY).records();
    assertThat(found).isGreaterThan(100);
    assertThat(lake.store.objects()).isEqualTo(before);
    assertThat(lake.table().vacuum(DAY).records()).isEqualTo(found);
  }

  @Test
  void aListingTableThatLostAManifestKeepsItsHistory() throws Exception {
    Lake lake = lake(Readers.LISTING);
    days(lake, 30);
    lake.store.delete(List.of(lake.paths.manifest(lake.table().history().get(3).id())));
    lake.table().vacuum(DAY);
    assertThat(head(lake).historyFrom()).isZero();
    assertThat(lake.table().history()).hasSize(30);
    lake.table().repair();
    lake.table().vacuum(DAY);
    assertThat(head(lake).historyFrom()).isGreaterThan(15);
  }
}
