package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.vacuum.VacuumReport;
import io.repave.testing.HeldUpload;
import io.repave.testing.ProcessDied;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a vacuum removes, and what it leaves. */
class VacuumTest {
  private static final long HOUR = 3_600_000;

  /** Names that other writers give: stock Spark's, whose UUID is not followed by an attempt. */
  private static final List<String> STRANGERS =
      List.of(
          "part-00000-550e8400-e29b-4123-8716-446655440000-c000.snappy.parquet",
          "part-00000-550e8400-e29b-4123-8716-446655440000.c000.snappy.parquet",
          "part-00000-550e8400-e29b-4123-8716-446655440000_00001.c000.snappy.parquet",
          "part-00000-20261121-000001.parquet",
          "part-00001-nightly-load-7.parquet");

  /** A job that uploads a file to each partition and is never heard of again. */
  private static WriteTransaction dead(Lake lake, String... partitions) throws Exception {
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.APPEND));
    lake.upload(job, List.of(partitions));
    return job;
  }

  private static Set<String> open(Lake lake) {
    Set<String> open = new TreeSet<>();
    for (HeldUpload upload : lake.store.openUploads()) {
      open.add(upload.at().bucket() + "/" + Lake.writer(upload.at().key()));
    }
    return open;
  }

  @Test
  void uploadsOfDeadJobsGoAndYoungOnesStay() throws Exception {
    Lake lake = new Lake();
    lake.commit(CommitKind.APPEND, "dt=1");
    dead(lake, "dt=1", "dt=2");
    lake.clock.advance(2 * HOUR);
    dead(lake, "dt=1");
    assertThat(lake.table().vacuum(HOUR).uploads()).isEqualTo(2);
    assertThat(open(lake)).containsExactly("lake/sales/dt=1/commit-000003");
  }

  @Test
  void anUploadThatATrialOfTheStoreCouldNotClearUpGoesWithTheOthers() throws Exception {
    Lake lake = new Lake();
    lake.commit(CommitKind.APPEND, "dt=1");
    lake.store.createUpload(lake.paths.records().resolve("probe-1-upload"));
    assertThat(lake.table().vacuum(HOUR).uploads()).isZero();
    assertThat(lake.store.openUploads()).hasSize(1);
    lake.clock.advance(HOUR);
    assertThat(lake.table().vacuum(HOUR).uploads()).isEqualTo(1);
    assertThat(lake.store.openUploads()).isEmpty();
  }

  @Test
  void uploadsAndFilesThatAreNotOursStayForEver() throws Exception {
    for (Readers readers : Readers.values()) {
      Lake lake = new Lake(readers);
      lake.foreign("dt=1/old.parquet");
      lake.commit(CommitKind.APPEND, "dt=1");
      lake.foreign("dt=1/part-00000-of-another-engine.parquet");
      lake.foreign("_delta_log/00000.json");
      for (String stranger : STRANGERS) {
        lake.foreign("dt=1/" + stranger);
        lake.store.createUpload(lake.paths.file("dt=1", stranger + ".open"));
      }
      lake.store.createUpload(new Location("lake", "sales/dt=1/data_0.bin"));
      lake.store.createUpload(new Location("lake", "sales2/part-00000-" + Lake.id(1) + "-1"));
      lake.clock.advance(10 * HOUR);
      Map<String, String> before = lake.data();
      VacuumReport report = lake.table().vacuum(0);
      assertThat(report.uploads() + report.files() + report.records()).isZero();
      assertThat(lake.data()).isEqualTo(before);
      assertThat(lake.store.openUploads()).hasSize(2 + STRANGERS.size());
    }
  }

  @Test
  void whatAnUnfinishedCommitNeedsStaysHoweverOldItIs() throws Exception {
    for (Step death : List.of(Step.PLAN, Step.COMPLETE_UPLOADS, Step.PUBLISH, Step.FINISH)) {
      for (Readers readers : Readers.values()) {
        Lake lake = new Lake(readers);
        lake.commit(CommitKind.APPEND, "dt=1");
        lake.unfinished(death, CommitKind.DYNAMIC, "dt=1", "dt=2");
        lake.clock.advance(100 * HOUR);
        VacuumReport report = lake.table().vacuum(0);
        assertThat(report.uploads() + report.files() + report.records())
            .as("%s, %s", death, readers)
            .isZero();
        lake.table().recover();
        assertThat(lake.recorded()).containsExactly("dt=1/commit-000002", "dt=2/commit-000002");
        assertThat(lake.writers()).containsAll(lake.recorded());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void recordsOfACommitThatWasNeverDecidedGoAndAllOthersStay(Readers readers) throws Exception {
    Lake lake = new Lake(readers);
    lake.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction dead = lake.dyingAt(Step.RESERVE).begin(lake.request(CommitKind.APPEND));
    Ledger ledger = Lake.ledger(lake.upload(dead, List.of("dt=1")));
    assertThatThrownBy(() -> dead.commit(ledger)).isInstanceOf(Lake.Died.class);
    lake.clock.advance(HOUR);
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(lake.store.objects()).containsKey(lake.paths.uploads(dead.id()));
    assertThat(lake.table().vacuum(HOUR / 2).records()).isEqualTo(1);
    assertThat(lake.store.objects()).doesNotContainKey(lake.paths.uploads(dead.id()));
    for (var commit : lake.table().history()) {
      assertThat(lake.table().manifest(commit.id())).isPresent();
    }
  }

  /** Of two processes that plan one commit, or write one version's checkpoint, one wins. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void recordsThatLostARaceGoAndThoseThatWonStay(Readers readers) throws Exception {
    Lake lake = new Lake(readers);
    lake.checkpointEvery(3);
    lake.commit(lake.request(CommitKind.APPEND), Collections.nCopies(10_100, "dt=1"));
    for (int job = 0; job < 9; job++) {
      lake.commit(CommitKind.DYNAMIC, "dt=2");
    }
    CommitId large = lake.table().history().get(readers == Readers.SNAPSHOT ? 1 : 0).id();
    List<Location> lost =
        List.of(
            lake.paths.manifestShard(large, "manifest-loser-00000.json.gz"),
            lake.paths.commit(large).resolve("task-00000-17"),
            lake.paths.checkpoint("000000000003-loser.json.gz"),
            lake.paths.checkpoint("000000000003-loser-00000.json.gz"));
    Location newer = lake.paths.checkpoint("000000000999-loser.json.gz");
    // Checkpoints that a later one took over.
    lake.table().vacuum(10 * HOUR);
    Set<Location> before = Set.copyOf(lake.store.objects().keySet());
    for (Location each : lost) {
      lake.store.put(each, ByteBuffer.wrap(new byte[] {1}));
    }
    lake.store.put(newer, ByteBuffer.wrap(new byte[] {1}));
    List<String> live = lake.recorded();
    assertThat(lake.table().vacuum(10 * HOUR).records()).as("the commit is young").isEqualTo(2);
    lake.clock.advance(20 * HOUR);
    assertThat(lake.table().vacuum(10 * HOUR).records()).isEqualTo(2);
    assertThat(lake.store.objects().keySet())
        .containsAll(before.stream().filter(it -> it.key().contains("_repave")).toList())
        .contains(newer)
        .doesNotContainAnyElementsOf(lost);
    assertThat(lake.recorded()).isEqualTo(live);
    assertThat(lake.table().history()).hasSizeGreaterThanOrEqualTo(10);
  }

  @Test
  void replacedFilesStayForTheRetentionAndGoAfterIt() throws Exception {
    Lake lake = new Lake(Readers.SNAPSHOT);
    lake.commit(CommitKind.APPEND, "dt=1", "dt=2");
    lake.clock.advance(5 * HOUR);
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    lake.clock.advance(HOUR);
    assertThat(lake.table().vacuum(2 * HOUR).files()).isZero();
    assertThat(lake.recordedAt(2)).containsExactly("dt=1/commit-000001", "dt=2/commit-000001");
    assertThat(lake.writers()).contains("dt=1/commit-000001");
    lake.clock.advance(HOUR + 1);
    VacuumReport report = lake.table().vacuum(2 * HOUR);
    assertThat(report.files()).isEqualTo(1);
    assertThat(report.oldestVersion()).isEqualTo(3);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000001");
    assertThat(lake.table().head().orElseThrow().oldestVersion()).isEqualTo(3);
  }

  /** Readers hold on to a version from when it is replaced, not from when the job began. */
  @Test
  void theRetentionCountsFromThePublicationNotFromTheBeginningOfTheJob() throws Exception {
    Lake lake = new Lake(Readers.SNAPSHOT);
    lake.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.DYNAMIC));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1")));
    lake.clock.advance(5 * HOUR);
    job.commit(ledger);
    lake.clock.advance(1_000);
    assertThat(lake.table().vacuum(HOUR).files()).isZero();
    assertThat(lake.writers()).contains("dt=1/commit-000001");
    lake.clock.advance(HOUR);
    assertThat(lake.table().vacuum(HOUR).files()).isEqualTo(1);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002");
  }

  @Test
  void filesOfLostAttemptsGoFromATableOfSnapshots() throws Exception {
    Lake lake = new Lake(Readers.SNAPSHOT);
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.APPEND));
    List<Upload> uploads = lake.upload(job, List.of("dt=1", "dt=1", "dt=2"));
    job.commit(Lake.ledger(uploads.subList(1, 3)));
    lake.clock.advance(2 * HOUR);
    assertThat(lake.table().vacuum(HOUR).files()).isEqualTo(1);
    assertThat(lake.files()).containsExactlyInAnyOrder(key(uploads.get(1)), key(uploads.get(2)));
  }

  private static String key(Upload upload) {
    return upload.partition() + "/" + upload.name();
  }

  /** Whoever puts the manifest back from an older version of the bucket needs its files too. */
  @Test
  void aMissingManifestStopsAVacuumThatWouldTakeItsFilesForGarbage() throws Exception {
    Lake lake = new Lake(Readers.SNAPSHOT);
    lake.commit(CommitKind.APPEND, "dt=1");
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    lake.clock.advance(5 * HOUR);
    CommitResult last = lake.table().rollback(2);
    byte[] manifest = lake.content(lake.paths.manifest(last.by()));
    lake.store.delete(List.of(lake.paths.manifest(last.by())));
    lake.clock.advance(1_000);
    var before = Map.copyOf(lake.store.objects());
    for (long retention : new long[] {0, HOUR, 10 * HOUR}) {
      assertThatThrownBy(() -> lake.table().vacuum(retention))
          .isInstanceOf(InvalidRecordException.class)
          .hasMessageContaining(lake.paths.manifest(last.by()).toString());
      assertThat(lake.store.objects()).isEqualTo(before);
    }
    lake.store.put(lake.paths.manifest(last.by()), ByteBuffer.wrap(manifest));
    lake.table().vacuum(HOUR);
    assertThat(lake.writers()).containsAll(lake.recorded());
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aRehearsalSaysWhatTheRunDoesAndChangesNothing(Readers readers) throws Exception {
    Lake lake = littered(readers);
    var before = Map.copyOf(lake.store.objects());
    int uploads = lake.store.openUploads().size();
    VacuumReport rehearsed = lake.table().rehearseVacuum(HOUR);
    assertThat(lake.store.objects()).isEqualTo(before);
    assertThat(lake.store.openUploads()).hasSize(uploads);
    assertThat(lake.table().vacuum(HOUR)).isEqualTo(rehearsed);
    assertThat(rehearsed.records()).isPositive();
    VacuumReport again = lake.table().vacuum(HOUR);
    assertThat(again.uploads() + again.files() + again.records()).isZero();
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aVacuumThatDiesAtAnyCallIsCompletedByTheNext(Readers readers) throws Exception {
    Lake whole = littered(readers);
    whole.table().vacuum(HOUR);
    int call = 0;
    boolean died;
    do {
      Lake lake = littered(readers);
      died = false;
      try {
        lake.through(lake.dyingBefore(++call)).vacuum(HOUR);
      } catch (ProcessDied end) {
        died = true;
      }
      assertThat(lake.writers()).as("call %d", call).containsAll(lake.recorded());
      lake.table().vacuum(HOUR);
      assertThat(lake.data()).as("call %d", call).isEqualTo(whole.data());
      assertThat(open(lake)).as("call %d", call).isEqualTo(open(whole));
      assertThat(lake.recorded()).isEqualTo(whole.recorded());
    } while (died);
    assertThat(call).isGreaterThan(6);
  }

  /** Dead uploads, records that were never decided, replaced files; an unfinished commit. */
  private static Lake littered(Readers readers) throws Exception {
    Lake lake = new Lake(readers);
    lake.foreign("dt=1/foreign.parquet");
    lake.commit(CommitKind.APPEND, "dt=1", "dt=2", "dt=3");
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    lake.commit(CommitKind.DYNAMIC, "dt=2");
    dead(lake, "dt=1");
    WriteTransaction dead = lake.dyingAt(Step.RESERVE).begin(lake.request(CommitKind.APPEND));
    Ledger ledger = Lake.ledger(lake.upload(dead, List.of("dt=1")));
    assertThatThrownBy(() -> dead.commit(ledger)).isInstanceOf(Lake.Died.class);
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=3");
    lake.clock.advance(2 * HOUR);
    lake.commit(CommitKind.DYNAMIC, "dt=2");
    dead(lake, "dt=5");
    return lake;
  }
}
