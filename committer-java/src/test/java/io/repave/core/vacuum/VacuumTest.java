package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.HeldUpload;
import io.repave.testing.OnceBefore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A vacuum removes orphans and expired files, and keeps everything else. */
class VacuumTest {
  private static final long HOUR = 3_600_000;

  /** File names of other writers, such as stock Spark, which writes no attempt after the UUID. */
  private static final List<String> STRANGERS =
      List.of(
          "part-00000-550e8400-e29b-4123-8716-446655440000-c000.snappy.parquet",
          "part-00000-550e8400-e29b-4123-8716-446655440000.c000.snappy.parquet",
          "part-00000-550e8400-e29b-4123-8716-446655440000_00001.c000.snappy.parquet",
          "part-00000-20261121-000001.parquet",
          "part-00001-nightly-load-7.parquet");

  /** A job that uploads a file to each partition and then dies. */
  private static WriteTransaction dead(TestTable table, String... partitions) throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    table.upload(job, List.of(partitions));
    return job;
  }

  private static Set<String> open(TestTable table) {
    Set<String> open = new TreeSet<>();
    for (HeldUpload upload : table.store.openUploads()) {
      open.add(upload.at().bucket() + "/" + TestTable.writer(upload.at().key()));
    }
    return open;
  }

  @Test
  void uploadsOfDeadJobsAreRemovedAndRecentOnesKept() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    dead(table, "dt=1", "dt=2");
    table.clock.advance(2 * HOUR);
    dead(table, "dt=1");
    assertThat(table.open().vacuum(HOUR).uploads()).isEqualTo(2);
    assertThat(open(table)).containsExactly("lake/sales/dt=1/commit-000003");
  }

  /** A MapReduce job deletes its record when it ends; one that died does not. */
  @Test
  void recordsOfDeadJobsAreRemovedAndOfRunningOnesKept() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    Location jobs = table.paths.records().resolve("jobs");
    put(table, jobs.resolve("job_1-0"), dead(table, "dt=1").id().folder());
    table.clock.advance(2 * HOUR);
    put(table, jobs.resolve("job_2-0"), dead(table, "dt=1").id().folder());
    put(table, jobs.resolve("foreign"), "no commit");
    table.open().vacuum(HOUR);
    assertThat(table.store.objects().keySet())
        .contains(jobs.resolve("job_2-0"), jobs.resolve("foreign"))
        .doesNotContain(jobs.resolve("job_1-0"));
  }

  private static void put(TestTable table, Location at, String text) throws Exception {
    table.store.put(at, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void anUploadThatAStoreProbeLeftIsRemoved() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    table.store.createUpload(table.paths.records().resolve("probe-1-upload"));
    assertThat(table.open().vacuum(HOUR).uploads()).isZero();
    assertThat(table.store.openUploads()).hasSize(1);
    table.clock.advance(HOUR);
    assertThat(table.open().vacuum(HOUR).uploads()).isEqualTo(1);
    assertThat(table.store.openUploads()).isEmpty();
  }

  @Test
  void uploadsAndFilesOfOtherWritersAreKept() throws Exception {
    for (Readers readers : Readers.values()) {
      TestTable table = new TestTable(readers);
      table.foreign("dt=1/old.parquet");
      table.commit(CommitKind.APPEND, "dt=1");
      table.foreign("dt=1/part-00000-of-another-engine.parquet");
      table.foreign("_delta_log/00000.json");
      for (String stranger : STRANGERS) {
        table.foreign("dt=1/" + stranger);
        table.store.createUpload(table.paths.file("dt=1", stranger + ".open"));
      }
      table.store.createUpload(new Location("lake", "sales/dt=1/data_0.bin"));
      table.store.createUpload(new Location("lake", "sales2/part-00000-" + TestTable.id(1) + "-1"));
      table.clock.advance(10 * HOUR);
      Map<String, String> before = table.data();
      VacuumReport report = table.open().vacuum(0);
      assertThat(report.uploads() + report.files() + report.records()).isZero();
      assertThat(table.data()).isEqualTo(before);
      assertThat(table.store.openUploads()).hasSize(2 + STRANGERS.size());
    }
  }

  /** A copy of a table's folders without its records has files with names of unknown commits. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void filesThatAnAdoptionWillNameAreKept(boolean duringTheVacuum) throws Exception {
    TestTable source = new TestTable(new Location("lake", "source"));
    source.commit(CommitKind.APPEND, "dt=1", "dt=2");
    TestTable table = new TestTable(source, new Location("lake", "copy"), Readers.SNAPSHOT, 9);
    for (String key : source.data().keySet()) {
      table.foreign(key.substring("s3://lake/source/".length()));
    }
    table.clock.advance(10 * HOUR);
    Set<String> copied = table.data().keySet();
    assertThatThrownBy(() -> table.dyingAt(Step.PLAN).begin(table.request(CommitKind.APPEND)))
        .isInstanceOf(ProcessDied.class);
    assertThat(table.head().version()).isZero();
    OnceBefore adopted =
        new OnceBefore(
            (call, at) -> call == StoreCall.PUT_IF_MATCH && at.key().endsWith("head.json"),
            () -> {
              if (duringTheVacuum) {
                table.open().recover();
              }
            });
    table.before(adopted).vacuum(HOUR);
    table.open().recover();

    assertThat(adopted.happened()).isTrue();
    assertThat(table.data().keySet()).isEqualTo(copied);
    assertThat(table.recorded()).hasSize(2);
  }

  @Test
  void filesOfAnUnfinishedCommitAreKeptHoweverOld() throws Exception {
    for (Step death : List.of(Step.PLAN, Step.COMPLETE_UPLOADS, Step.PUBLISH, Step.FINISH)) {
      for (Readers readers : Readers.values()) {
        TestTable table = new TestTable(readers);
        table.commit(CommitKind.APPEND, "dt=1");
        table.unfinished(death, CommitKind.DYNAMIC, "dt=1", "dt=2");
        table.clock.advance(100 * HOUR);
        VacuumReport report = table.open().vacuum(0);
        assertThat(report.uploads() + report.files() + report.records())
            .as("%s, %s", death, readers)
            .isZero();
        assertThat(table.records("refused/")).as("cancelled, although it is decided").isZero();
        table.open().recover();
        assertThat(table.recorded()).containsExactly("dt=1/commit-000002", "dt=2/commit-000002");
        assertThat(table.writers()).containsAll(table.recorded());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void recordsOfACommitThatWasNeverReservedAreRemoved(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1");
    CommitId dead = table.unfinished(Step.RESERVE, CommitKind.APPEND, "dt=1");
    table.clock.advance(HOUR);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.store.objects()).containsKey(table.paths.uploads(dead));
    assertThat(table.open().vacuum(HOUR / 2).records()).isEqualTo(1);
    assertThat(table.store.objects()).doesNotContainKey(table.paths.uploads(dead));
    for (var commit : table.history()) {
      assertThat(table.open().manifest(commit.id())).isPresent();
    }
  }

  /**
   * Two processes may plan one commit, or write the checkpoint of one version. One of them wins.
   */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void recordsThatLostARaceAreRemovedAndTheWinnersKept(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.checkpointEvery(3);
    table.commit(table.request(CommitKind.APPEND), Collections.nCopies(10_100, "dt=1"));
    for (int job = 0; job < 9; job++) {
      table.commit(CommitKind.DYNAMIC, "dt=2");
    }
    CommitId large = table.history().get(readers == Readers.SNAPSHOT ? 1 : 0).id();
    List<Location> lost =
        List.of(
            table.paths.manifestShard(large, "manifest-loser-00000.json.gz"),
            table.paths.commit(large).resolve("task-00000-17"),
            table.paths.checkpoint("000000000003-loser.json.gz"),
            table.paths.checkpoint("000000000003-loser-00000.json.gz"));
    // Remove the checkpoints that a later one replaced.
    table.open().vacuum(10 * HOUR);
    // A swap of the head that is on its way may name them.
    String last = "%012d-loser.json.gz".formatted(table.head().checkpointVersion());
    List<Location> kept =
        List.of(table.paths.checkpoint(last), table.paths.checkpoint("000000000999-loser.json.gz"));
    Set<Location> before = Set.copyOf(table.store.objects().keySet());
    for (Location each : lost) {
      table.store.put(each, ByteBuffer.wrap(new byte[] {1}));
    }
    for (Location each : kept) {
      table.store.put(each, ByteBuffer.wrap(new byte[] {1}));
    }
    List<String> live = table.recorded();
    assertThat(table.open().vacuum(10 * HOUR).records()).as("the commit is young").isEqualTo(2);
    table.clock.advance(20 * HOUR);
    assertThat(table.open().vacuum(10 * HOUR).records()).isEqualTo(2);
    assertThat(table.store.objects().keySet())
        .containsAll(before.stream().filter(it -> it.key().contains("_repave")).toList())
        .containsAll(kept)
        .doesNotContainAnyElementsOf(lost);
    assertThat(table.recorded()).isEqualTo(live);
    assertThat(table.history()).hasSizeGreaterThanOrEqualTo(10);
  }

  @Test
  void replacedFilesAreKeptForTheRetentionAndThenRemoved() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.clock.advance(5 * HOUR);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(HOUR);
    assertThat(table.open().vacuum(2 * HOUR).files()).isZero();
    assertThat(table.recordedAt(2)).containsExactly("dt=1/commit-000001", "dt=2/commit-000001");
    assertThat(table.writers()).contains("dt=1/commit-000001");
    table.clock.advance(HOUR + 1);
    VacuumReport report = table.open().vacuum(2 * HOUR);
    assertThat(report.files()).isEqualTo(1);
    assertThat(report.oldestVersion()).isEqualTo(3);
    assertThat(table.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000001");
    assertThat(table.head().oldestVersion()).isEqualTo(3);
  }

  /** A version can be in use until it is replaced, which is later than the begin of the job. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theRetentionCountsFromThePublication(boolean reportIsLost) throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=1");
    TestJob job = table.job(CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(5 * HOUR);
    CommitId id = job.commit().by();
    table.clock.advance(1_000);
    if (reportIsLost) {
      table.store.delete(List.of(table.paths.report(id)));
    }
    assertThat(table.open().vacuum(HOUR).files()).isZero();
    assertThat(table.writers()).contains("dt=1/commit-000001");
    table.clock.advance(HOUR);
    assertThat(table.open().vacuum(HOUR).files()).isEqualTo(1);
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
  }

  @Test
  void filesOfLostAttemptsAreRemovedFromASnapshotTable() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    List<Upload> uploads = table.upload(job, List.of("dt=1", "dt=1", "dt=2"));
    job.commit(TestTable.ledger(uploads.subList(1, 3)));
    table.clock.advance(2 * HOUR);
    assertThat(table.open().vacuum(HOUR).files()).isEqualTo(1);
    assertThat(table.files()).containsExactlyInAnyOrder(key(uploads.get(1)), key(uploads.get(2)));
  }

  /** Keys sort in another order than partitions: '-' and '!' come before the slash. */
  @Test
  void noLiveFileIsRemovedHoweverThePartitionsSort() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    String[] partitions = {
      "a=1", "a=1-b", "a=1!c", "a=1/b=2", "a=10", "b=\uD83D\uDE00", "b=\uFFFD"
    };
    for (String partition : partitions) {
      table.foreign(partition + "/zold.parquet");
    }
    table.commit(CommitKind.APPEND, partitions);
    table.commit(CommitKind.DYNAMIC, "a=1-b", "a=1/b=2", "b=\uFFFD");
    WriteTransaction lost = table.open().begin(table.request(CommitKind.APPEND));
    table.upload(lost, List.of(partitions));
    table.clock.advance(2 * HOUR);

    VacuumReport report = table.open().vacuum(HOUR);
    // Two replaced files in each of three partitions, and the lost job's file in each partition.
    assertThat(report.files()).isEqualTo(6 + partitions.length);
    assertThat(table.writers()).containsExactlyInAnyOrderElementsOf(table.recorded());
  }

  private static String key(Upload upload) {
    return upload.partition() + "/" + upload.name();
  }

  /** An operator who restores the manifest from the bucket's older versions needs its files too. */
  @Test
  void aMissingManifestStopsAVacuumThatWouldDeleteItsFiles() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(5 * HOUR);
    CommitResult last = table.open().rollback(2);
    byte[] manifest = table.content(table.paths.manifest(last.by()));
    table.store.delete(List.of(table.paths.manifest(last.by())));
    table.clock.advance(1_000);
    var before = Map.copyOf(table.store.objects());
    for (long retention : new long[] {0, HOUR, 10 * HOUR}) {
      assertThatThrownBy(() -> table.open().vacuum(retention))
          .isInstanceOf(InvalidRecordException.class)
          .hasMessageContaining(table.paths.manifest(last.by()).toString());
      assertThat(table.store.objects()).isEqualTo(before);
    }
    table.store.put(table.paths.manifest(last.by()), ByteBuffer.wrap(manifest));
    table.open().vacuum(HOUR);
    assertThat(table.writers()).containsAll(table.recorded());
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aDryRunReportsWhatTheRunRemovesAndChangesNothing(Readers readers) throws Exception {
    TestTable table = littered(readers);
    var before = Map.copyOf(table.store.objects());
    int uploads = table.store.openUploads().size();
    VacuumReport rehearsed = table.open().vacuumDryRun(HOUR);
    assertThat(table.store.objects()).isEqualTo(before);
    assertThat(table.store.openUploads()).hasSize(uploads);
    assertThat(table.open().vacuum(HOUR)).isEqualTo(rehearsed);
    assertThat(rehearsed.records()).isPositive();
    VacuumReport again = table.open().vacuum(HOUR);
    assertThat(again.uploads() + again.files() + again.records()).isZero();
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aVacuumThatDiesAtAnyCallIsCompletedByTheNext(Readers readers) throws Exception {
    TestTable whole = littered(readers);
    whole.open().vacuum(HOUR);
    int call = 0;
    boolean died;
    do {
      TestTable table = littered(readers);
      died = false;
      try {
        table.through(table.dyingBefore(++call)).vacuum(HOUR);
      } catch (ProcessDied end) {
        died = true;
      }
      assertThat(table.writers()).as("call %d", call).containsAll(table.recorded());
      table.open().vacuum(HOUR);
      assertThat(table.data()).as("call %d", call).isEqualTo(whole.data());
      assertThat(open(table)).as("call %d", call).isEqualTo(open(whole));
      assertThat(table.recorded()).isEqualTo(whole.recorded());
    } while (died);
    assertThat(call).isGreaterThan(6);
  }

  /** A table with uploads and records of dead jobs, replaced files, and an unfinished commit. */
  private static TestTable littered(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.foreign("dt=1/foreign.parquet");
    table.commit(CommitKind.APPEND, "dt=1", "dt=2", "dt=3");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=2");
    dead(table, "dt=1");
    table.unfinished(Step.RESERVE, CommitKind.APPEND, "dt=1");
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=3");
    table.clock.advance(2 * HOUR);
    table.commit(CommitKind.DYNAMIC, "dt=2");
    dead(table, "dt=5");
    return table;
  }
}
