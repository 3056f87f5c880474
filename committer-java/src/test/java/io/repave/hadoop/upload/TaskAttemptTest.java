package io.repave.hadoop.upload;

import static io.repave.hadoop.upload.UploadWorld.PART_BYTES;
import static io.repave.hadoop.upload.UploadWorld.TABLE;
import static io.repave.hadoop.upload.UploadWorld.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.ledger.Upload;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.StoreCall;
import io.repave.testing.Unchecked;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class TaskAttemptTest {
  private UploadWorld world;

  @BeforeEach
  void start(@TempDir Path folder) {
    world = new UploadWorld(folder);
  }

  @AfterEach
  void nothingIsLeftBehind() throws InterruptedException {
    world.endWithNothingLeft();
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 1", "99999, 1", "100000, 1", "100001, 2", "200000, 2", "500000, 5"})
  void everySizeIsCutRightAndReadsBack(int bytes, int parts) throws IOException {
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    world.write(attempt, "dt=1", "f.parquet", random(bytes));
    byte[] message = attempt.commit();

    assertThat(world.memoryStore.objects()).isEmpty();
    Upload upload = UploadWorld.uploads(message).get(0);
    assertThat(upload.etags()).hasSize(parts);
    assertThat(upload.bytes()).isEqualTo(bytes);
    assertThat(upload.partBytes()).isEqualTo(PART_BYTES);
    world.publish(message);
    assertThat(world.content(TABLE.resolve("dt=1/f.parquet"))).isEqualTo(random(bytes));
  }

  @ParameterizedTest
  @CsvSource({"0, PUT", "100000, PUT", "100001, COMPLETE", "500000, COMPLETE"})
  void aSnapshotTablesFileIsAnObjectBeforeTheJobCommits(int bytes, StoreCall last)
      throws IOException {
    TaskAttempt attempt = world.attempt(Readers.SNAPSHOT);
    world.write(attempt, "dt=1", "f.parquet", random(bytes));
    Upload upload = UploadWorld.uploads(attempt.commit()).get(0);

    assertThat(upload.direct()).isTrue();
    assertThat(upload.bytes()).isEqualTo(bytes);
    assertThat(world.content(TABLE.resolve("dt=1/f.parquet"))).isEqualTo(random(bytes));
    assertThat(world.store.journal).endsWith(last);
    if (last == StoreCall.PUT) {
      assertThat(world.store.journal).containsExactly(StoreCall.PUT);
    }
  }

  @Test
  void oneFileOfAListingTableCostsTwoRequestsInItsTask() throws IOException {
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    world.write(attempt, "", "f.parquet", random(10));
    attempt.commit();
    assertThat(world.store.journal).containsExactly(StoreCall.CREATE_UPLOAD, StoreCall.UPLOAD_PART);
  }

  @Test
  void anAttemptWithoutFilesAsksTheStoreNothing() throws IOException {
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    world.open.find(attempt.file("dt=1", "never-created.orc"));
    assertThat(UploadWorld.uploads(attempt.commit())).isEmpty();
    assertThat(world.store.journal).isEmpty();
  }

  @Test
  void closeDoesNotWaitForTheStore() throws IOException {
    CountDownLatch released = new CountDownLatch(1);
    world.store.before = (call, at) -> Unchecked.run(released::await);
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    for (int i = 0; i < 5; i++) {
      world.write(attempt, "dt=" + i, "f.parquet", random(1_000));
    }
    assertThat(world.memoryStore.openUploads()).isEmpty();
    released.countDown();
    assertThat(UploadWorld.uploads(attempt.commit())).hasSize(5);
  }

  @Test
  void unansweredPartsAreSentAgainUnderTheSameNumber() throws IOException {
    AtomicInteger sent = new AtomicInteger();
    world.store.after =
        (call, at) -> {
          if (call == StoreCall.UPLOAD_PART && sent.getAndIncrement() % 3 != 2) {
            throw new StoreException(Kind.UNKNOWN, "no answer");
          }
        };
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    world.write(attempt, "dt=1", "f.parquet", random(4 * PART_BYTES));
    byte[] message = attempt.commit();
    world.publish(message);
    assertThat(world.content(TABLE.resolve("dt=1/f.parquet"))).isEqualTo(random(4 * PART_BYTES));
  }

  @Test
  void commitFailsWithTheFirstCauseAndAbortLeavesNoUpload() throws IOException {
    world.store.before =
        (call, at) -> {
          if (call == StoreCall.UPLOAD_PART && at.key().contains("dt=2/")) {
            throw new StoreException(Kind.DENIED, "no right to write " + at);
          }
        };
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    world.write(attempt, "dt=1", "f.parquet", random(10));
    world.write(attempt, "dt=2", "f.parquet", random(10));

    assertThatThrownBy(attempt::commit)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no right to write s3://lake/sales/dt=2/f.parquet")
        .hasCauseInstanceOf(StoreException.class);
    attempt.abort();
    assertThat(world.memoryStore.openUploads()).isEmpty();
  }

  @Test
  void laterFailuresDoNotHideTheFirst() throws Exception {
    CountDownLatch firstFailed = new CountDownLatch(1);
    world.store.before =
        (call, at) -> {
          if (!at.key().contains("dt=1/")) {
            Unchecked.run(firstFailed::await);
          }
          throw new StoreException(Kind.DENIED, "no right to write " + at);
        };
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    world.write(attempt, "dt=2", "f.parquet", random(10));
    while (world.store.journal.isEmpty()) {
      Thread.sleep(1);
    }
    // The request for dt=2 is running and blocked; the one for dt=1 fails before it ends.
    world.write(attempt, "dt=1", "f.parquet", random(10));
    while (!attempt.hasFailed()) {
      Thread.sleep(1);
    }
    firstFailed.countDown();
    assertThatThrownBy(attempt::commit).hasMessageContaining("dt=1/f.parquet");
    attempt.abort();
  }

  @Test
  void aWriterLearnsOfAFailureBeforeItsNextPart() throws IOException {
    world.store.before =
        (call, at) -> {
          throw new StoreException(Kind.DENIED, "no");
        };
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    try (UploadStream stream = world.create(attempt, "dt=1", "f.parquet")) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 5_000; i++) {
                  stream.write(random(PART_BYTES / 100));
                  Thread.sleep(1);
                }
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("this task attempt has failed");
    } catch (IOException closing) {
      assertThat(closing).hasMessageContaining("this task attempt has failed");
    }
    attempt.abort();
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anAbandonedStreamIsAbortedAndNeverCompletes(Readers readers) throws IOException {
    TaskAttempt attempt = world.attempt(readers);
    UploadStream stream = world.create(attempt, "dt=1", "f.parquet");
    stream.write(random(3 * PART_BYTES));
    assertThatThrownBy(attempt::commit).hasMessageContaining("its writer did not close it");
    attempt.abort();

    assertThat(world.memoryStore.openUploads()).isEmpty();
    assertThat(world.memoryStore.objects()).isEmpty();
    assertThat(world.store.journal).doesNotContain(StoreCall.COMPLETE);
    assertThatThrownBy(() -> stream.write(1)).hasMessageContaining("is closed");
    stream.close();
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void abortAfterCommitTakesEverythingBack(Readers readers) throws IOException {
    TaskAttempt attempt = world.attempt(readers);
    world.write(attempt, "dt=1", "small.parquet", random(10));
    world.write(attempt, "dt=1", "large.parquet", random(2 * PART_BYTES + 1));
    attempt.commit();
    attempt.abort();
    attempt.abort();
    assertThat(world.memoryStore.openUploads()).isEmpty();
    assertThat(world.memoryStore.objects()).isEmpty();
  }

  /** Engines do not abort every task that fails, so this is called at the end of each. */
  @Test
  void theEndOfATaskAbortsAnAttemptThatIsNotCommitted() throws IOException {
    TaskAttempt left = world.attempt(Readers.LISTING);
    world.create(left, "dt=1", "left.parquet").write(random(PART_BYTES + 1));
    left.abortUnlessEnded();
    assertThat(world.memoryStore.openUploads()).isEmpty();
    assertThat(world.open.size()).isZero();

    TaskAttempt committed = world.attempt(Readers.LISTING);
    world.write(committed, "dt=1", "f.parquet", random(10));
    committed.commit();
    committed.abortUnlessEnded();
    assertThat(world.memoryStore.openUploads()).hasSize(1);
  }

  /** Each request of the abort would take the whole budget, one round of the pool after another. */
  @Test
  void anAbortWithoutAStoreTakesOneBudgetForAllFiles() throws IOException {
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    for (int i = 0; i < 40; i++) {
      world.write(attempt, "dt=" + i, "f.parquet", random(10));
    }
    attempt.commit();
    world.store.before =
        (call, at) -> {
          throw new StoreException(Kind.UNKNOWN, "no answer");
        };
    long begun = System.nanoTime();
    attempt.abort();
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(6));
  }

  @Test
  void abortWaitsForRequestsUnderWaySoThatNoneLandsBehindIt() throws Exception {
    CountDownLatch sending = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    world.store.before =
        (call, at) -> {
          if (call == StoreCall.PUT) {
            sending.countDown();
            Unchecked.run(released::await);
          }
        };
    TaskAttempt attempt = world.attempt(Readers.SNAPSHOT);
    world.write(attempt, "dt=1", "f.parquet", random(10));
    sending.await();
    Thread aborting = new Thread(() -> Unchecked.run(attempt::abort));
    aborting.start();
    aborting.join(200);
    assertThat(world.store.journal).containsExactly(StoreCall.PUT);
    released.countDown();
    aborting.join();
    assertThat(world.memoryStore.objects()).isEmpty();
    assertThat(world.store.journal).endsWith(StoreCall.DELETE);
  }

  @Test
  void aLostAnswerToTheCompletionOfALargeFileIsFoundOut() throws IOException {
    AtomicInteger answers = new AtomicInteger();
    world.store.after =
        (call, at) -> {
          if (call == StoreCall.COMPLETE && answers.getAndIncrement() == 0) {
            throw new StoreException(Kind.UNKNOWN, "no answer");
          }
        };
    TaskAttempt attempt = world.attempt(Readers.SNAPSHOT);
    world.write(attempt, "dt=1", "f.parquet", random(2 * PART_BYTES));
    attempt.commit();
    assertThat(world.content(TABLE.resolve("dt=1/f.parquet"))).hasSize(2 * PART_BYTES);
    assertThat(world.store.journal).endsWith(StoreCall.COMPLETE, StoreCall.HEAD);
  }

  @Test
  void tooManyPartsAreRefusedWithTheSizeThatFits() throws IOException {
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    UploadStream stream = world.create(attempt, "dt=1", "f.parquet");
    stream.write(random(5 * PART_BYTES));
    assertThatThrownBy(() -> stream.write(1))
        .hasMessageContaining("Set repave.part.size to 400000 or more");
    attempt.abort();
    assertThat(world.memoryStore.openUploads()).isEmpty();
  }

  @Test
  void anInterruptedCommitSaysSoAndKeepsTheFlag() throws IOException {
    CountDownLatch released = new CountDownLatch(1);
    world.store.before = (call, at) -> Unchecked.run(released::await);
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    world.write(attempt, "dt=1", "f.parquet", random(10));
    Thread.currentThread().interrupt();
    assertThatThrownBy(attempt::commit).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    released.countDown();
    attempt.abort();
    assertThat(world.memoryStore.openUploads()).isEmpty();
  }

  @Test
  void anInterruptedAbortDoesNotWaitAndStillTakesUploadsBack() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    world.write(attempt, "dt=1", "f.parquet", random(10));
    attempt.commit();
    world.store.before = (call, at) -> Unchecked.run(released::await);
    Thread.currentThread().interrupt();
    attempt.abort();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(world.memoryStore.openUploads()).hasSize(1);
    released.countDown();
    world.end();
    assertThat(world.memoryStore.openUploads()).isEmpty();
  }

  @Test
  void aFailedRequestCountsBeforeAStreamThatWasLeftOpenForIt() throws Exception {
    world.store.before =
        (call, at) -> {
          throw new StoreException(Kind.DENIED, "no right to write");
        };
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    UploadStream open = world.create(attempt, "dt=1", "open.parquet");
    world.write(attempt, "dt=2", "f.parquet", random(10));
    while (!attempt.hasFailed()) {
      Thread.sleep(1);
    }
    assertThatThrownBy(attempt::commit).hasMessageContaining("no right to write");
    attempt.abort();
    open.close();
  }

  @Test
  void aPartitionElsewhereIsNamedByItsAbsolutePlace() throws IOException {
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    Location at = attempt.file(new Location("other", "x/y"), "f.parquet");
    assertThat(at).isEqualTo(new Location("other", "x/y/f.parquet"));
    world.open.find(at).orElseThrow().open().close();
    Location inside = attempt.file(TABLE.resolve("moved/dt=7"), "g.parquet");
    world.open.find(inside).orElseThrow().open().close();
    assertThat(UploadWorld.uploads(attempt.commit()))
        .extracting(Upload::partition)
        .containsExactly("s3://other/x/y", "moved/dt=7");
  }

  @Test
  void aFileCannotLeaveItsPartition() {
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    for (String name : List.of("../f", "a/b", "", "..")) {
      assertThatThrownBy(() -> attempt.file("dt=1", name)).isInstanceOf(IOException.class);
    }
    for (String partition : Set.of("_repave", "dt=1/..", "/dt=1", "dt=1//x")) {
      assertThatThrownBy(() -> attempt.file(partition, "f")).isInstanceOf(IOException.class);
    }
  }

  @Test
  void theSameFileCannotBeAnnouncedOrOpenedTwice() throws IOException {
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    Location folder = UploadWorld.TABLE.resolve("dt=1");
    assertThat(attempt.isAnnounced(folder, "f.parquet")).isFalse();
    Location at = attempt.file("dt=1", "f.parquet");
    assertThat(attempt.isAnnounced(folder, "f.parquet")).isTrue();
    assertThatThrownBy(() -> attempt.file("dt=1", "f.parquet"))
        .hasMessageContaining("requested twice by one task attempt");
    TaskFile file = world.open.find(at).orElseThrow();
    assertThatThrownBy(file::bytes).hasMessageContaining("has not created the file");
    try (UploadStream stream = file.open()) {
      stream.write(random(7));
      assertThat(file.bytes()).isEqualTo(7);
      assertThatThrownBy(file::open).hasMessageContaining("already");
    }
    attempt.commit();
  }
}
