package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.store.ParallelRunner;
import io.repave.testing.MemoryObjectStore;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** A bucket's own number of connections limits the threads, like in the connector. */
class StoreAccessTest {
  private final Configuration conf = new Configuration();
  private final String bucket = "lake-" + UUID.randomUUID();

  /** The most actions that run at once. */
  private int width() throws IOException, InterruptedException {
    Ports ports =
        new StoreAccess(conf, "s3a", bucket).ports(new MemoryObjectStore(), Progress.SILENT);
    ParallelRunner runner = ports.runner();
    AtomicInteger under = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    runner.each(
        IntStream.range(0, 40).iterator(),
        number -> {
          most.accumulateAndGet(under.incrementAndGet(), Math::max);
          pause();
          under.decrementAndGet();
        });
    return most.get();
  }

  private static void pause() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aBucketsOwnMaximumLimitsItsCommits() throws Exception {
    conf.setInt("fs.s3a.connection.maximum", 200);
    conf.setInt("fs.s3a.bucket." + bucket + ".connection.maximum", 5);

    assertThat(width()).isEqualTo(5);
  }

  @Test
  void aBucketWithMoreThanTheRestMayUseIt() throws Exception {
    conf.setInt("fs.s3a.connection.maximum", 3);
    conf.setInt("fs.s3a.bucket." + bucket + ".connection.maximum", 9);

    assertThat(width()).isEqualTo(9);
  }

  @Test
  void theMaximumOfAllCountsWhereABucketHasNone() throws Exception {
    conf.setInt("fs.s3a.connection.maximum", 4);
    conf.setInt("fs.s3a.bucket.other.connection.maximum", 9);

    assertThat(width()).isEqualTo(4);
  }
}
