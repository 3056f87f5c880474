package io.repave.hadoop.upload;

import static io.repave.hadoop.upload.UploadWorld.PART_BYTES;
import static io.repave.hadoop.upload.UploadWorld.RETRY;
import static io.repave.hadoop.upload.UploadWorld.TABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.Readers;
import io.repave.hadoop.footer.WantedFacts;
import io.repave.testing.MemoryObjectStore;
import io.repave.testing.StoreCall;
import io.repave.testing.Unchecked;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of one JVM that have parts of different sizes. */
class PartSizesTest {
  private static final int LARGE_BYTES = 4 * PART_BYTES;
  private static final long LIMIT = 10L * PART_BYTES;

  @TempDir private Path folder;
  private final ExecutorService pool = Executors.newFixedThreadPool(1);
  private final UploadMemory memory = new UploadMemory(LIMIT);
  private final ScriptedStore store = new ScriptedStore(new MemoryObjectStore());
  private final OpenFiles open = new OpenFiles();

  private TaskAttempt attempt(int partBytes) {
    PartLimits limits = new PartLimits(partBytes, 100, bytes -> folder);
    return new TaskAttempt(
        TABLE,
        Readers.LISTING,
        new UploadResources(store, pool, memory, RETRY, limits, WantedFacts.NONE),
        open);
  }

  private UploadStream write(TaskAttempt attempt, String name, int bytes) throws Exception {
    UploadStream stream = open.find(attempt.file("", name)).orElseThrow().open();
    stream.write(new byte[bytes]);
    return stream;
  }

  @Test
  @Timeout(20)
  void aLargePartOnDiskDoesNotWaitForSmallerOnesThatAreQueuedBehindIt() throws Exception {
    CountDownLatch written = new CountDownLatch(1);
    store.before =
        (call, at) -> {
          if (call == StoreCall.CREATE_UPLOAD) {
            Unchecked.run(written::await);
          }
        };
    TaskAttempt small = attempt(PART_BYTES);
    List<UploadStream> streams = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      streams.add(write(small, "small-" + i, PART_BYTES));
    }
    TaskAttempt large = attempt(LARGE_BYTES);
    write(large, "large", LARGE_BYTES).close();
    for (UploadStream stream : streams) {
      stream.close();
    }
    written.countDown();
    large.commit();
    small.commit();
    assertThat(memory.usedBytes()).isZero();
    assertThat(memory.peakBytes()).isLessThan(LIMIT + LARGE_BYTES);
    pool.shutdown();
  }
}
