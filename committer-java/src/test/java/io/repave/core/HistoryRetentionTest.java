package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.RecordRefused;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.store.CountedStore.Request;
import io.repave.testing.ProcessDied;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
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
    CommitJob asleep = lake.table().begin(lake.request(CommitKind.DYNAMIC));
    days(lake, 40);
    lake.table().vacuum(DAY);
    assertThat(head(lake).historyFrom()).isGreaterThan(4);
    // It uploads after the vacuum, which so saw nothing of it that it could refuse.
    var ledger = Lake.ledger(lake.upload(asleep, List.of("dt=0")));
    var before = lake.data();

    assertThatThrownBy(() -> asleep.commit(ledger))
        .isInstanceOf(RecordRefused.class)
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
