package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.hadoop.read.HeadsInPlace;
import io.repave.hadoop.read.VersionCache;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.testing.MemoryObjectStore;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hadoop lets only so many threads create a file system at the same time. */
class ParallelCreationTest {
  private static final int THREADS = 8;

  @AfterEach
  void stop() throws IOException {
    FileSystem.closeAll();
  }

  @Test
  void aThreadThatCreatesTheFileSystemNeedsNoSecondOneMeanwhile() throws Exception {
    Configuration conf = MemoryFileSystem.conf(new MemoryObjectStore());
    conf.set("fs.memory.impl.disable.cache", "false");
    RepaveFileSystem made =
        new RepaveFileSystem(
            new OpenFiles(),
            (reads, bucket) -> (HeadsInPlace) table -> Optional.empty(),
            new VersionCache(1 << 20));
    made.initialize(URI.create("repave://lake"), conf);
    assertThat(MemoryFileSystem.opened()).as("by creating it").isZero();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<Boolean>> found = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      found.add(threads.submit(() -> made.exists(new Path("repave://lake/sales"))));
    }
    for (Future<Boolean> each : found) {
      assertThat(each.get(30, TimeUnit.SECONDS)).isFalse();
    }
    threads.shutdown();
    assertThat(MemoryFileSystem.opened()).as("by the first questions").isPositive();
  }

  /** Hadoop does so when a user's session ends, and at the end of the JVM. */
  @Test
  void allFileSystemsCanBeClosedWhileOneIsOpened() throws Exception {
    Configuration conf = MemoryFileSystem.conf(new MemoryObjectStore());
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.set("fs.memory.impl.disable.cache", "false");
    FileSystem made = FileSystem.get(URI.create("repave://lake"), conf);
    CountDownLatch closed = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    MemoryFileSystem.whileOpening(
        () -> {
          threads.submit(
              () -> {
                FileSystem.closeAll();
                closed.countDown();
                return null;
              });
          assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
        });
    threads.submit(() -> made.getDefaultBlockSize(new Path("repave://lake/sales"))).get();
    threads.shutdown();
  }
}
