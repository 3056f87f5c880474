package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Progress;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.upload.TaskAttempt;
import io.repave.testing.EmbeddedS3;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A session that makes {@code -Drepave.writes} writes, to one table after another, has the same
 * threads and heap at the end as near its start.
 */
@Tag("http")
class LongSessionHttpTest {
  private static final int WRITES = Integer.getInteger("repave.writes", 60);
  private static final int TABLES = Math.max(1, WRITES / 5);
  private static final long MIB = 1 << 20;

  @ParameterizedTest
  @ValueSource(strings = {"false", "true"})
  void threadsAndHeapAreFlatWithHadoopsCacheAndWithout(String isCacheOff) throws Exception {
    try (EmbeddedS3 server = EmbeddedS3.start("ministack")) {
      server.createBucket("session");
      Configuration conf = server.configuration(server.endpoint());
      conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
      conf.set("fs.s3a.impl.disable.cache", isCacheOff);
      int early = WRITES / 3;
      write(conf, 0, early);
      long threads = threads();
      long heap = heapMiB();

      write(conf, early, WRITES);

      System.out.printf(
          "%d writes, cache off %s: %d threads and %d MiB after a third, %d and %d at the end%n",
          WRITES, isCacheOff, threads, heap, threads(), heapMiB());
      assertThat(threads()).isLessThan(threads + 20);
      assertThat(heapMiB()).isLessThanOrEqualTo(heap + 8);
    } finally {
      FileSystem.closeAll();
    }
  }

  private static void write(Configuration conf, int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      overwrite(new Configuration(conf), "s3a://session/table-" + i % TABLES);
    }
  }

  private static void overwrite(Configuration job, String table)
      throws IOException, InterruptedException {
    String commit = UUID.randomUUID().toString();
    WriteTransaction running =
        TableAccess.of(job, table)
            .tableToBegin(Progress.SILENT)
            .begin(new CommitRequest(commit, CommitKind.DYNAMIC, List.of(), "", "_SUCCESS"));
    TaskAttempt task = TableAccess.of(job, table).beginTask(Readers.LISTING);
    Location at = task.file("dt=1", PartFileName.of("", 0, commit, 1, ".txt"));
    Path path = new Path(TableAccess.writerPath(at));
    try (FSDataOutputStream out = path.getFileSystem(job).create(path, false)) {
      out.write(7);
    }
    running.commit(new TaskLedgers(List.of(task.commit())));
  }

  /** Without the threads of uploads and commits, whose number is limited. */
  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !thread.getName().matches("repave-(upload|commit)-.*"))
        .count();
  }

  private static long heapMiB() throws InterruptedException {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      Thread.sleep(50);
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least / MIB;
  }
}
