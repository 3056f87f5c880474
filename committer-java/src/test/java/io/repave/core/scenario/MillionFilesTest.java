package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.Ports;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.Schema;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.hadoop.runtime.TemporaryFile;
import io.repave.testing.EngineSettingsDraft;
import io.repave.testing.TestPorts;
import io.repave.testing.ThreadedRunner;
import io.repave.testing.VirtualClock;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The driver's memory: a million pending files of one part, with upload ids of 128 characters,
 * commit in a heap whose size {@code make heap} or {@code make large} sets. The test fails when the
 * heap is too small.
 */
class MillionFilesTest {
  private static final int TASKS = 1_000;
  private static final int FILES_A_TASK = 1_000;
  private static final long MIB = 1 << 20;

  /** Of ten columns, as Spark writes it. */
  private static final Schema SCHEMA =
      new Schema(
          IntStream.range(0, 10)
              .mapToObj(
                  "{\"name\":\"column_%d\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}"
                      ::formatted)
              .collect(Collectors.joining(",", "{\"type\":\"struct\",\"fields\":[", "]}")));

  /** The partition of a task's file. */
  private interface Partition {
    String of(int task, int file);
  }

  @Test
  @Tag("heap")
  void aMillionPendingFilesWithFactsCommitWithin256MiBOverTheBaseline() throws Exception {
    commit(256, (task, file) -> "dt=2026-11-%02d/hour=%04d".formatted(task % 28 + 1, file));
  }

  @Test
  @Tag("large")
  void aMillionPendingFilesOfAMillionPartitionsCommitWithin1GiBOverTheBaseline() throws Exception {
    commit(1_024, (task, file) -> "id=%07d".formatted(task * FILES_A_TASK + file));
  }

  private static void commit(long allowedMib, Partition partitions) throws Exception {
    long baseline = usedMiB();
    assertThat(Runtime.getRuntime().maxMemory() / MIB)
        .as("the heap that this test runs in, in MiB")
        .isLessThanOrEqualTo(baseline + allowedMib);
    DiscardingStore store = new DiscardingStore();
    Ports ports =
        TestPorts.of(store, new VirtualClock())
            .nonces(() -> UUID.randomUUID().toString())
            .runner(new ThreadedRunner(8))
            .scratch(TemporaryFile::new)
            .ports();
    TablePaths paths = new TablePaths(new Location("lake", "sales"));
    WriteTransaction job =
        Table.open(ports, paths, EngineSettingsDraft.ofDefaults().done())
            .begin(
                new CommitRequest(
                    UUID.randomUUID().toString(), CommitKind.DYNAMIC, List.of(), "", "_SUCCESS"));
    List<byte[]> messages = new ArrayList<>();
    Random random = new Random(1);
    long bytes = 0;
    for (int task = 0; task < TASKS; task++) {
      messages.add(message(job.id().id(), task, random, partitions));
      bytes += messages.get(task).length;
    }
    CommitResult result = job.commit(new TaskLedgers(messages));
    assertThat(result.totals().filesIn()).isEqualTo(TASKS * FILES_A_TASK);
    assertThat(store.completed()).isEqualTo(TASKS * FILES_A_TASK);
    System.out.printf(
        "1,000,000 pending files committed: messages %d MiB (%d bytes a file), heap of %d MiB,"
            + " %d MiB of it in use before%n",
        bytes / MIB,
        bytes / (TASKS * FILES_A_TASK),
        Runtime.getRuntime().maxMemory() / MIB,
        baseline);
  }

  private static byte[] message(String commit, int task, Random random, Partition partitions) {
    TaskLedger ledger = new TaskLedger();
    byte[] id = new byte[64];
    byte[] md5 = new byte[16];
    for (int file = 0; file < FILES_A_TASK; file++) {
      random.nextBytes(id);
      random.nextBytes(md5);
      ledger.add(
          new Upload(
              partitions.of(task, file),
              PartFileName.of("", task, commit, task, ".c%03d.snappy.parquet".formatted(file)),
              HexFormat.of().formatHex(id),
              1,
              1,
              List.of(HexFormat.of().formatHex(md5)),
              FileFacts.ofRows(1_000_000 + file).withSchema(Optional.of(SCHEMA))));
    }
    return ledger.encode();
  }

  private static long usedMiB() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) / MIB;
  }
}
