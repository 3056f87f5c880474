package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.HeldObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A job is given up, before and after its decision; a committed one sweeps lost attempts. */
class AbortTest {
  private Lake lake = new Lake();

  private Set<String> open() {
    Set<String> open = new TreeSet<>();
    lake.store.openUploads().forEach(upload -> open.add(upload.uploadId()));
    return open;
  }

  private static String[] ids(List<Upload> uploads) {
    return uploads.stream().map(Upload::uploadId).toArray(String[]::new);
  }

  /** Uploads that this job may not touch: another job's, one with a longer id, a stranger's. */
  private Set<String> others() throws Exception {
    WriteTransaction other = lake.table().begin(lake.request(CommitKind.APPEND));
    lake.upload(other, List.of("dt=1", "dt=2"));
    lake.store.createUpload(lake.paths.file("dt=1", "part-00000-" + Lake.id(1) + "x-1.parquet"));
    lake.store.createUpload(lake.paths.file("dt=1", "data.parquet"));
    lake.store.createUpload(new Location("lake", "other/part-00000-" + Lake.id(1) + "-1.parquet"));
    return open();
  }

  @Test
  void anAbortGivesUpTheUploadsOfItsOwnJobAlone() throws Exception {
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.APPEND));
    assertThat(job.id().id()).isEqualTo(Lake.id(1));
    Set<String> others = others();
    List<Upload> uploads = lake.upload(job, List.of("dt=1", "dt=2", "dt=1"));
    assertThat(job.abort(Lake.ledger(uploads.subList(0, 1)))).isTrue();
    assertThat(open()).isEqualTo(others);
    assertThat(lake.data()).isEmpty();
    assertThat(lake.table().head()).isEmpty();
  }

  @Test
  void aSweepAfterTheCommitGivesUpWhatLostAttemptsLeftAndNothingElse() throws Exception {
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.APPEND));
    Set<String> others = others();
    List<Upload> uploads = lake.upload(job, List.of("dt=1", "dt=1", "dt=2"));
    job.commit(Lake.ledger(uploads.subList(1, 2)));
    assertThat(open()).hasSize(others.size() + 2).contains(ids(uploads.subList(2, 3)));
    assertThat(job.sweep()).isEqualTo(2);
    assertThat(open()).isEqualTo(others);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
    assertThat(job.sweep()).isZero();
  }

  @Test
  void uploadsOutsideTheTableAreGivenUpWhenTheDriverSawThem() throws Exception {
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.APPEND));
    List<Upload> uploads = lake.upload(job, List.of("s3://cold/dt=1", "dt=1"));
    assertThat(job.abort(Lake.ledger(uploads))).isTrue();
    assertThat(open()).isEmpty();
  }

  /** Spark aborts a job whose commit threw, even when it is decided. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void anAbortOfADecidedCommitTouchesNothing(Readers readers) throws Exception {
    for (Step death : List.of(Step.PLAN, Step.COMPLETE_UPLOADS, Step.PUBLISH, Step.FINISH)) {
      lake = new Lake(readers);
      lake.commit(CommitKind.APPEND, "dt=1");
      WriteTransaction job = lake.dyingAt(death).begin(lake.request(CommitKind.DYNAMIC));
      Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1", "dt=2")));
      assertThatThrownBy(() -> job.commit(ledger)).isInstanceOf(Lake.Died.class);
      Map<Location, HeldObject> before = Map.copyOf(lake.store.objects());
      Set<String> open = open();
      assertThat(job.abort(ledger)).as("%s", death).isFalse();
      assertThat(lake.store.objects()).as("%s", death).isEqualTo(before);
      assertThat(open()).as("%s", death).isEqualTo(open);
      lake.table().recover();
      assertThat(lake.recorded()).containsExactly("dt=1/commit-000002", "dt=2/commit-000002");
    }
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anAbortAfterSuccessTouchesNothing(Readers readers) throws Exception {
    lake = new Lake(readers);
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.APPEND));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1")));
    job.commit(ledger);
    Map<Location, HeldObject> before = Map.copyOf(lake.store.objects());
    assertThat(job.abort(ledger)).isFalse();
    assertThat(lake.store.objects()).isEqualTo(before);
  }

  /** The answer to the reservation is lost; only a fence makes it safe to call it undecided. */
  @Test
  void anAbortAfterAReservationThatNeverArrivedFencesItAndCleansUp() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    boolean[] lost = {true};
    WriteTransaction job =
        lake.through(
                lake.turning(
                    name -> {
                      if (name.equals("putIfMatch") && lost[0]) {
                        throw new StoreException(Kind.UNKNOWN, "no answer");
                      }
                    }))
            .begin(lake.request(CommitKind.DYNAMIC));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1")));
    assertThat(catchThrowable(() -> job.commit(ledger))).isNotNull();
    lost[0] = false;
    String before = nonce();
    assertThat(job.abort(ledger)).isTrue();
    assertThat(nonce()).isNotEqualTo(before);
    assertThat(open()).isEmpty();
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
  }

  private String nonce() throws Exception {
    return lake.table().head().orElseThrow().nonce();
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitKind.class,
      mode = Mode.INCLUDE,
      names = {"APPEND", "DYNAMIC"})
  void anAbortOnATableOfSnapshotsDeletesTheFilesThatWereNeverPublished(CommitKind kind)
      throws Exception {
    lake = new Lake(Readers.SNAPSHOT);
    lake.foreign("dt=1/old.parquet");
    lake.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction job = lake.table().begin(lake.request(kind));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1", "dt=2")));
    assertThat(lake.files()).hasSize(4);
    assertThat(job.abort(ledger)).isTrue();
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001", "dt=1/old.parquet");
    assertThat(lake.recorded()).containsExactlyInAnyOrder("dt=1/commit-000001", "dt=1/old.parquet");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anAbortAfterAConflictLeavesTheOthersFiles(Readers readers) throws Exception {
    lake = new Lake(readers);
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.DYNAMIC));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1")));
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(() -> job.commit(ledger)).isInstanceOf(CommitConflictException.class);
    assertThat(job.abort(ledger)).isTrue();
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002");
    assertThat(open()).isEmpty();
  }
}
