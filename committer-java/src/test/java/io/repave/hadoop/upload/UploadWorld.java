package io.repave.hadoop.upload;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.RetryPolicy;
import io.repave.core.ledger.TaskLedgerReader;
import io.repave.core.ledger.Upload;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.hadoop.footer.FileOrder;
import io.repave.hadoop.footer.StatsColumns;
import io.repave.hadoop.footer.WantedFacts;
import io.repave.hadoop.runtime.RequestRetry;
import io.repave.testing.MemoryObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A store in memory with a pool, a budget and a table for tests of writing. */
final class UploadWorld {
  static final Location TABLE = new Location("lake", "sales");
  static final int PART_BYTES = 100_000;
  static final RequestRetry RETRY = new RequestRetry(new RetryPolicy(1_000, 1, 4, 2_000));

  final MemoryObjectStore memoryStore = new MemoryObjectStore();
  final ScriptedStore store = new ScriptedStore(memoryStore);
  final OpenFiles open = new OpenFiles();
  final UploadMemory memory;
  private final ExecutorService pool = Executors.newFixedThreadPool(4);
  private final Path folder;

  UploadWorld(Path folder) {
    this(folder, 10L * PART_BYTES);
  }

  UploadWorld(Path folder, long memoryBytes) {
    this.folder = folder;
    memory = new UploadMemory(memoryBytes);
  }

  UploadResources transfers(ObjectStore through) {
    return transfers(through, PART_BYTES, 5);
  }

  UploadResources transfers(ObjectStore through, int partBytes, int partsMax) {
    return new UploadResources(
        through,
        pool,
        memory,
        RETRY,
        new PartLimits(partBytes, partsMax, bytes -> folder),
        WantedFacts.NONE);
  }

  TaskAttempt attempt(Readers readers) {
    return attempt(readers, StatsColumns.NONE);
  }

  TaskAttempt attempt(Readers readers, StatsColumns stats) {
    return attempt(readers, WantedFacts.of(stats, FileOrder.NONE));
  }

  TaskAttempt attempt(Readers readers, WantedFacts wanted) {
    PartLimits limits = new PartLimits(PART_BYTES, 5, bytes -> folder);
    UploadResources resources = new UploadResources(store, pool, memory, RETRY, limits, wanted);
    return new TaskAttempt(TABLE, readers, resources, open);
  }

  UploadStream create(TaskAttempt attempt, String partition, String name) throws IOException {
    return open.find(attempt.file(partition, name)).orElseThrow().open();
  }

  void write(TaskAttempt attempt, String partition, String name, byte[] content)
      throws IOException {
    try (UploadStream stream = create(attempt, partition, name)) {
      stream.write(content);
    }
  }

  /** What the job's commit does with the message of a task, without its records. */
  void publish(byte[] message) throws IOException {
    for (Upload upload : uploads(message)) {
      if (!upload.direct()) {
        memoryStore.complete(
            new PendingUpload(
                TABLE.resolve(upload.partition()).resolve(upload.name()),
                upload.uploadId(),
                upload.bytes(),
                upload.etags()));
      }
    }
  }

  static List<Upload> uploads(byte[] message) throws IOException {
    TaskLedgerReader reader = new TaskLedgerReader(message);
    List<Upload> uploads = new ArrayList<>();
    while (reader.hasNext()) {
      uploads.add(reader.next());
    }
    return uploads;
  }

  byte[] content(Location at) throws IOException {
    return memoryStore.read(at, Long.MAX_VALUE).orElseThrow().content();
  }

  static byte[] random(int bytes) {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    return content;
  }

  /** Ends the pool, and checks that every byte and every file was given back. */
  void endWithNothingLeft() throws InterruptedException {
    end();
    assertThat(memory.usedBytes()).isZero();
    assertThat(open.size()).isZero();
  }

  /** Ends the pool's threads, after the work that they were given. */
  void end() throws InterruptedException {
    pool.shutdown();
    if (!pool.awaitTermination(20, TimeUnit.SECONDS)) {
      throw new AssertionError("An upload did not end within 20 s.");
    }
  }
}
