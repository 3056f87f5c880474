package io.repave.hadoop.upload;

import io.repave.core.record.Readers;
import io.repave.core.store.Content;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.footer.WantedFacts;
import io.repave.testing.InterceptingStore;
import io.repave.testing.MemoryObjectStore;
import io.repave.testing.Unchecked;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A separate JVM in which 32 tasks write at once to a slow store. The first argument is the upload
 * memory, the second one the MiB to write. Prints the largest growth of the live heap, in bytes.
 */
final class UploadProgram {
  private static final int TASKS = 32;
  private static final int PART_BYTES = 8 << 20;
  private static final int FILE_PARTS = 4;
  private static final long MIB = 1 << 20;

  private UploadProgram() {}

  public static void main(String[] arguments) throws Exception {
    long budget = Long.parseLong(arguments[0]);
    long files = Long.parseLong(arguments[1]) * MIB / (FILE_PARTS * PART_BYTES);
    Path folder = Files.createTempDirectory("repave-upload-program");
    ExecutorService pool = Executors.newFixedThreadPool(TASKS);
    ExecutorService tasks = Executors.newFixedThreadPool(TASKS);
    UploadMemory memory = new UploadMemory(budget);
    UploadResources transfers =
        new UploadResources(
            slowStore(),
            pool,
            memory,
            UploadWorld.RETRY,
            new PartLimits(PART_BYTES, 10_000, bytes -> folder),
            WantedFacts.NONE);
    long before = aliveBytes();
    List<Future<byte[]>> written = new ArrayList<>();
    for (int i = 0; i < files; i++) {
      int number = i;
      written.add(tasks.submit(() -> write(transfers, number)));
    }
    tasks.shutdown();
    long most = 0;
    while (!tasks.awaitTermination(500, TimeUnit.MILLISECONDS)) {
      most = Math.max(most, aliveBytes() - before);
    }
    for (Future<byte[]> each : written) {
      each.get();
    }
    pool.shutdown();
    Files.delete(folder);
    System.out.printf("alive %d, counted %d%n", most, memory.peakBytes());
  }

  private static byte[] write(UploadResources transfers, int number) throws IOException {
    OpenFiles open = new OpenFiles();
    TaskAttempt attempt = new TaskAttempt(UploadWorld.TABLE, Readers.LISTING, transfers, open);
    byte[] rows = new byte[64 << 10];
    try (UploadStream stream =
        open.find(attempt.file("dt=1", "part-" + number)).orElseThrow().open()) {
      for (long bytes = 0; bytes < (long) FILE_PARTS * PART_BYTES; bytes += rows.length) {
        stream.write(rows);
      }
    }
    return attempt.commit();
  }

  /** Reads the request slowly. */
  private static ObjectStore slowStore() {
    return new InterceptingStore(new MemoryObjectStore()) {
      @Override
      public String uploadPart(Location at, String uploadId, int number, Content content) {
        content.pieces().forEach(piece -> piece.get(piece.limit() - 1));
        Unchecked.run(() -> Thread.sleep(150));
        return "0cc175b9c0f1b6a831c399e269772661";
      }
    };
  }

  /** The live heap after a full garbage collection, including waste in its regions. */
  private static long aliveBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
