package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.repave.core.Table;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.DeliveryGuards;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.HeldObject;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * A job is aborted, before and after its reservation. A committed job cleans up after lost
 * attempts.
 */
class AbortTransactionTest {
  private TestTable table = new TestTable();

  private Set<String> open() {
    Set<String> open = new TreeSet<>();
    table.store.openUploads().forEach(upload -> open.add(upload.uploadId()));
    return open;
  }

  private static String[] ids(List<Upload> uploads) {
    return uploads.stream().map(Upload::uploadId).toArray(String[]::new);
  }

  /** Uploads that this job may not abort: of another job, of a longer id, of another writer. */
  private Set<String> others() throws Exception {
    WriteTransaction other = table.open().begin(table.request(CommitKind.APPEND));
    table.upload(other, List.of("dt=1", "dt=2"));
    table.store.createUpload(
        table.paths.file("dt=1", "part-00000-" + TestTable.id(1) + "x-1.parquet"));
    table.store.createUpload(table.paths.file("dt=1", "data.parquet"));
    table.store.createUpload(
        new Location("lake", "other/part-00000-" + TestTable.id(1) + "-1.parquet"));
    return open();
  }

  @Test
  void anAbortAbortsTheUploadsOfItsOwnJobAlone() throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    assertThat(job.id().id()).isEqualTo(TestTable.id(1));
    Set<String> others = others();
    List<Upload> uploads = table.upload(job, List.of("dt=1", "dt=2", "dt=1"));
    assertThat(job.abort(TestTable.ledger(uploads.subList(0, 1)))).isTrue();
    assertThat(open()).isEqualTo(others);
    assertThat(table.data()).isEmpty();
    assertThat(table.open().head()).isEmpty();
  }

  @Test
  void aCleanupAfterTheCommitAbortsTheUploadsOfLostAttemptsAlone() throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    Set<String> others = others();
    List<Upload> uploads = table.upload(job, List.of("dt=1", "dt=1", "dt=2"));
    job.commit(TestTable.ledger(uploads.subList(1, 2)));
    assertThat(open()).hasSize(others.size() + 2).contains(ids(uploads.subList(2, 3)));
    assertThat(job.abortLostUploads()).isEqualTo(2);
    assertThat(open()).isEqualTo(others);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(job.abortLostUploads()).isZero();
  }

  /** Its requests are not those of the commit, so the report does not count them. */
  @Test
  void aCleanupAtPublicationKeepsTheFilesOfTheCommit() throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    Set<String> others = others();
    List<Upload> uploads = table.upload(job, List.of("dt=1", "dt=1", "dt=2"));
    AtomicInteger aborted = new AtomicInteger();

    CommitResult result =
        job.commit(
            TestTable.ledger(uploads.subList(1, 2)),
            () ->
                assertThatCode(() -> aborted.set(job.abortLostUploads()))
                    .doesNotThrowAnyException());

    assertThat(aborted).hasValue(2);
    assertThat(open()).isEqualTo(others);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(result.report().orElseThrow().requests())
        .doesNotContainKeys(Request.LIST_UPLOADS, Request.ABORT);
  }

  @Test
  void anAbortAbortsUploadsOutsideTheTableThatTheDriverKnows() throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    List<Upload> uploads = table.upload(job, List.of("s3://cold/dt=1", "dt=1"));
    assertThat(job.abort(TestTable.ledger(uploads))).isTrue();
    assertThat(open()).isEmpty();
  }

  /** Spark aborts a job whose commit threw an exception, even when the commit is reserved. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void anAbortOfADecidedCommitChangesNothing(Readers readers) throws Exception {
    for (Step death : List.of(Step.PLAN, Step.COMPLETE_UPLOADS, Step.PUBLISH, Step.FINISH)) {
      table = new TestTable(readers);
      table.commit(CommitKind.APPEND, "dt=1");
      TestJob job = table.job(table.dyingAt(death), CommitKind.DYNAMIC, "dt=1", "dt=2");
      assertThatThrownBy(job::commit).isInstanceOf(ProcessDied.class);
      Map<Location, HeldObject> before = Map.copyOf(table.store.objects());
      Set<String> open = open();
      assertThat(job.abort()).as("%s", death).isFalse();
      assertThat(table.store.objects()).as("%s", death).isEqualTo(before);
      assertThat(open()).as("%s", death).isEqualTo(open);
      table.open().recover();
      assertThat(table.recorded()).containsExactly("dt=1/commit-000002", "dt=2/commit-000002");
    }
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anAbortAfterSuccessChangesNothing(Readers readers) throws Exception {
    table = new TestTable(readers);
    TestJob job = table.job(CommitKind.APPEND, "dt=1");
    job.commit();
    Map<Location, HeldObject> before = Map.copyOf(table.store.objects());
    assertThat(job.abort()).isFalse();
    assertThat(table.store.objects()).isEqualTo(before);
  }

  /** The answer to the reservation is lost. Without a fence the reservation may still land. */
  @Test
  void anAbortFencesAReservationWithoutAnAnswerAndCleansUp() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    boolean[] lost = {true};
    WriteTransaction job =
        headWithoutAnswer(StoreCall.PUT_IF_MATCH, lost).begin(table.request(CommitKind.DYNAMIC));
    Ledger ledger = TestTable.ledger(table.upload(job, List.of("dt=1")));
    assertThat(catchThrowable(() -> job.commit(ledger))).isNotNull();
    lost[0] = false;
    String before = nonce();
    assertThat(job.abort(ledger)).isTrue();
    assertThat(nonce()).isNotEqualTo(before);
    assertThat(open()).isEmpty();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  /** Later jobs take the followers from the head, not from their settings. */
  @Test
  void theHeadOfAFencedFirstReservationHasTheFollowers() throws Exception {
    table.configure(it -> it.followers(List.of(FollowerKind.DELTA)));
    boolean[] lost = {true};
    WriteTransaction job =
        headWithoutAnswer(StoreCall.PUT_IF_ABSENT, lost).begin(table.request(CommitKind.APPEND));
    Ledger ledger = TestTable.ledger(table.upload(job, List.of("dt=1")));
    assertThat(catchThrowable(() -> job.commit(ledger))).isNotNull();
    lost[0] = false;
    assertThat(job.abort(ledger)).isTrue();
    assertThat(table.head().followers())
        .extracting(Follower::kind)
        .containsExactly(FollowerKind.DELTA);
  }

  /** While the answers are lost, no change of the head by such a call arrives. */
  private Table headWithoutAnswer(StoreCall kind, boolean[] lost) {
    return table.before(
        (call, at) -> {
          if (call == kind && at.equals(table.paths.head()) && lost[0]) {
            throw new StoreException(Kind.UNKNOWN, "no answer");
          }
        });
  }

  private String nonce() throws Exception {
    return table.head().nonce();
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitKind.class,
      mode = Mode.INCLUDE,
      names = {"APPEND", "DYNAMIC"})
  void anAbortOnASnapshotTableDeletesTheUnpublishedFiles(CommitKind kind) throws Exception {
    table = new TestTable(Readers.SNAPSHOT);
    table.foreign("dt=1/old.parquet");
    table.commit(CommitKind.APPEND, "dt=1");
    TestJob job = table.job(kind, "dt=1", "dt=2");
    assertThat(table.files()).hasSize(4);
    assertThat(job.abort()).isTrue();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001", "dt=1/old.parquet");
    assertThat(table.recorded())
        .containsExactlyInAnyOrder("dt=1/commit-000001", "dt=1/old.parquet");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anAbortAfterAConflictLeavesTheOthersFiles(Readers readers) throws Exception {
    table = new TestTable(readers);
    TestJob job = table.job(CommitKind.DYNAMIC, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(job::commit).isInstanceOf(CommitConflictException.class);
    assertThat(job.abort()).isTrue();
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
    assertThat(open()).isEmpty();
  }

  /**
   * Spark does not write to a folder that holds anything, with mode error or ignore or for a new
   * table. The job that failed may have been the first one.
   */
  @Test
  void anAbortOfAJobThatFailedBeforeItsDecisionLeavesNoRecord() throws Exception {
    DeliveryGuards guards = new DeliveryGuards(List.of("dt=7"), BigDecimal.ZERO);
    TestJob job = table.job(table.request(CommitKind.APPEND).guardedBy(guards), "dt=1");
    assertThatThrownBy(job::commit).isInstanceOf(CommitFailedException.class);
    assertThat(table.records("commits/")).isEqualTo(1);
    assertThat(job.abort()).isTrue();
    assertThat(table.store.objects()).isEmpty();
  }

  /** Somebody has replaced the stored message of a task. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void anAbortLeavesOutFilesThatItsCommitCannotHaveWritten(Readers readers) throws Exception {
    table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1");
    Location victim = new Location("other", "table/part-00000-x");
    table.store.put(victim, ByteBuffer.wrap(new byte[] {1}));
    String open = table.store.createUpload(victim);
    String live = table.files().iterator().next().substring("dt=1/".length());
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    List<Upload> named = new ArrayList<>(table.upload(job, List.of("dt=1", "s3://other/dt=1")));
    Set<Location> own = new HashSet<>();
    named.forEach(upload -> own.add(table.paths.file(upload.partition(), upload.name())));
    Map<Location, HeldObject> before = new HashMap<>(table.store.objects());
    before.keySet().removeAll(own);
    named.add(Upload.existing("s3://other/table", "part-00000-x", 1, FileFacts.NONE));
    named.add(new Upload("s3://other/table", "part-00000-x", open, 1, 1, List.of()));
    named.add(Upload.existing("dt=1", live, 1, FileFacts.NONE));
    named.add(Upload.existing("", "_repave/head.json", 1, FileFacts.NONE));
    named.add(Upload.existing("s3://", live, 1, FileFacts.NONE));

    assertThat(job.abort(TestTable.ledger(named))).isTrue();

    assertThat(table.store.objects()).isEqualTo(before);
    assertThat(open()).containsExactly(open);
  }

  /** The driver does not know those of tasks that end while it aborts. */
  @Test
  void anAbortOfAJobThatDidNotTryToCommitDeletesTheMessagesThatItsTasksStored() throws Exception {
    TestJob job = table.job(CommitKind.APPEND, "dt=1");
    Location records = table.paths.commit(job.transaction().id());
    table.store.put(records.resolve("task-00000-0"), ByteBuffer.wrap(new byte[] {1}));
    Map<Request, Long> before = table.counted.counts();
    assertThat(job.abort()).isTrue();
    assertThat(table.store.objects()).isEmpty();
    Map<Request, Long> after = table.counted.counts();
    assertThat(after.get(Request.LIST)).isEqualTo(before.getOrDefault(Request.LIST, 0L) + 1);
  }

  @Test
  void anAbortAfterAConflictLeavesTheRecordsOfOthersAlone() throws Exception {
    TestJob job = table.job(CommitKind.DYNAMIC, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    long records = table.records("commits/");
    assertThatThrownBy(job::commit).isInstanceOf(CommitConflictException.class);
    assertThat(job.abort()).isTrue();
    assertThat(table.records("commits/")).isEqualTo(records);
  }
}
