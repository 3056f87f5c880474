package io.repave.hadoop.upload;

import static io.repave.hadoop.upload.UploadWorld.PART_BYTES;
import static io.repave.hadoop.upload.UploadWorld.TABLE;
import static io.repave.hadoop.upload.UploadWorld.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.ledger.Upload;
import io.repave.core.record.Readers;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.StoreCall;
import io.repave.testing.Unchecked;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class UploadMemoryTest {
  private static final long LIMIT = 4L * PART_BYTES;

  @TempDir private Path folder;
  private UploadWorld world;

  @BeforeEach
  void start() {
    world = new UploadWorld(folder, LIMIT);
  }

  @AfterEach
  void everythingIsGivenBackAndTheLimitWasKept() throws Exception {
    world.end();
    assertThat(world.memory.usedBytes()).isZero();
    assertThat(world.memory.peakBytes()).isPositive().isLessThanOrEqualTo(LIMIT);
    assertThat(world.store.mostSent.get())
        .as("bytes of arrays under way")
        .isLessThanOrEqualTo(LIMIT);
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  /** Some writers, such as Java's PrintStream, keep quiet about errors of their stream. */
  @Test
  void anAttemptWhoseBytesDidNotFitOnTheDiskCannotCommit() throws Exception {
    world.end();
    world = new UploadWorld(folder.resolve("absent"), LIMIT);
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    List<UploadStream> streams = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (true) {
                streams.add(world.create(attempt, "dt=" + streams.size(), "f"));
                streams.get(streams.size() - 1).write(random(PART_BYTES));
              }
            })
        .isInstanceOf(NoSuchFileException.class);
    for (UploadStream stream : streams) {
      try {
        stream.close();
      } catch (IOException quiet) {
        assertThat(quiet).hasMessageContaining("failed");
      }
    }
    assertThatThrownBy(attempt::commit).isInstanceOf(IOException.class);
    attempt.abort();
  }

  @Test
  void oneThreadFeedsManyMoreOpenFilesThanFitInMemory() throws IOException {
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    int files = 40;
    List<UploadStream> streams = new ArrayList<>();
    for (int i = 0; i < files; i++) {
      streams.add(world.create(attempt, "dt=" + i, "f"));
    }
    byte[] content = random(2 * PART_BYTES + 77);
    for (int from = 0; from < content.length; from += 10_000) {
      for (UploadStream stream : streams) {
        stream.write(content, from, Math.min(10_000, content.length - from));
      }
    }
    try (Stream<Path> spilled = Files.list(folder)) {
      assertThat(spilled).isNotEmpty();
    }
    for (UploadStream stream : streams) {
      stream.close();
    }
    world.publish(attempt.commit());
    for (int i = 0; i < files; i++) {
      assertThat(world.content(TABLE.resolve("dt=" + i + "/f"))).isEqualTo(content);
    }
  }

  @Test
  void manyThreadsShareTheMemoryOfASlowStore() throws Exception {
    long seed = System.nanoTime();
    world.store.before = (call, at) -> Unchecked.run(() -> Thread.sleep(2));
    ExecutorService tasks = Executors.newFixedThreadPool(8);
    List<Future<byte[]>> messages = new ArrayList<>();
    for (int task = 0; task < 24; task++) {
      int number = task;
      messages.add(tasks.submit(() -> writeTask(number, new Random(seed + number))));
    }
    tasks.shutdown();
    int files = 0;
    for (Future<byte[]> message : messages) {
      for (Upload upload : UploadWorld.uploads(message.get())) {
        files++;
        assertThat(upload.bytes()).as("seed %d", seed).isEqualTo(sizeOf(upload.name()));
      }
      world.publish(message.get());
    }
    assertThat(files).isEqualTo(24 * 6);
  }

  private byte[] writeTask(int task, Random random) throws IOException {
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    List<UploadStream> open = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      int bytes = random.nextInt(3 * PART_BYTES);
      UploadStream stream = world.create(attempt, "dt=" + task, i + "-" + bytes);
      stream.write(random(bytes));
      open.add(stream);
      if (random.nextBoolean()) {
        open.remove(0).close();
      }
    }
    for (UploadStream stream : open) {
      stream.close();
    }
    return attempt.commit();
  }

  private static long sizeOf(String name) {
    return Long.parseLong(name.substring(name.indexOf('-') + 1));
  }

  @Test
  void aWriterWaitsWhileUploadsAreUnderWayAndGoesOnBehindThem() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    world.store.before = (call, at) -> Unchecked.run(released::await);
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    CountDownLatch ended = new CountDownLatch(1);
    Thread writer =
        new Thread(
            () -> {
              try (UploadStream stream = world.create(attempt, "dt=1", "f")) {
                stream.write(random(5 * PART_BYTES));
                ended.countDown();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    writer.start();
    assertThat(ended.await(300, TimeUnit.MILLISECONDS)).isFalse();
    try (Stream<Path> spilled = Files.list(folder)) {
      assertThat(spilled).as("waiting costs no disk").isEmpty();
    }
    released.countDown();
    writer.join();
    assertThat(UploadWorld.uploads(attempt.commit()).get(0).etags()).hasSize(5);
  }

  @Test
  void anInterruptEndsAWaitForMemory() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    world.store.before = (call, at) -> Unchecked.run(released::await);
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    UploadStream stream = world.create(attempt, "dt=1", "f");
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> stream.write(random(5 * PART_BYTES)))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    released.countDown();
    attempt.abort();
    assertThat(world.memoryStore.openUploads()).isEmpty();
  }

  @Test
  void abortGivesBackPartsOnDiskThatWereNeverSent() throws IOException {
    world.store.before =
        (call, at) -> {
          if (call == StoreCall.CREATE_UPLOAD) {
            throw new StoreException(Kind.DENIED, "no");
          }
        };
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    List<UploadStream> streams = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      UploadStream stream = world.create(attempt, "dt=" + i, "f");
      stream.write(random(PART_BYTES));
      streams.add(stream);
    }
    assertThatThrownBy(
            () -> {
              for (UploadStream stream : streams) {
                stream.write(1);
                Unchecked.run(() -> Thread.sleep(5));
              }
            })
        .isInstanceOf(IOException.class);
    attempt.abort();
  }

  @Test
  void aPartTooLargeForTheMemoryIsRefusedAtOnce() throws IOException {
    TaskAttempt attempt = world.attempt(Readers.LISTING);
    world.write(attempt, "", "f", random(1));
    attempt.commit();
    assertThatThrownBy(() -> world.memory.reserve(LIMIT))
        .hasMessageContaining("Raise repave.upload.memory");
  }
}
