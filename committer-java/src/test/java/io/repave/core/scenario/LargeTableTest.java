package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Ports;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Location;
import io.repave.core.vacuum.VacuumReport;
import io.repave.hadoop.runtime.TemporaryFile;
import io.repave.testing.EngineSettingsDraft;
import io.repave.testing.TestPorts;
import io.repave.testing.TestTable;
import io.repave.testing.ThreadedRunner;
import io.repave.testing.VirtualClock;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Adoption, checkpoint, reading and vacuum of a snapshot table with very many files, in a heap
 * whose size {@code make large} sets. The test fails when the heap is too small.
 */
@Tag("large")
class LargeTableTest {
  private static final int FILES = Integer.getInteger("large.files", 1_000_000);
  private static final int FILES_EACH = Integer.getInteger("large.each", 100);
  private static final int PARTITIONS = FILES / FILES_EACH;
  private static final long DAY = 86_400_000;
  private static final long MIB = 1 << 20;
  private static final int TIMES = 10;

  private final VirtualClock clock = new VirtualClock();
  private final TablePaths paths = new TablePaths(new Location("lake", "sales"));
  private CountedStore store;
  private Table table;

  /** A step of the test. */
  private interface Action<T> {
    T run() throws Exception;
  }

  private long gets() {
    return store.counts().getOrDefault(Request.GET, 0L);
  }

  private static long cpuMillis() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime()
        / 1_000_000;
  }

  private <T> T step(String name, Action<T> action) throws Exception {
    long nanos = System.nanoTime();
    long cpu = cpuMillis();
    long before = gets();
    T result = action.run();
    System.out.printf(
        "%s: %.1f s, %.1f s of CPU, %d GETs%n",
        name, (System.nanoTime() - nanos) / 1e9, (cpuMillis() - cpu) / 1e3, gets() - before);
    return result;
  }

  private long commit(CommitKind kind, String partition) throws Exception {
    clock.advance(DAY);
    String id = UUID.randomUUID().toString();
    List<String> scope = kind == CommitKind.STATIC ? List.of("") : List.of();
    WriteTransaction job = table.begin(new CommitRequest(id, kind, scope, "", "_SUCCESS"));
    String name = PartFileName.of("", 0, id, 1, ".c000.parquet");
    store.put(paths.file(partition, name), ByteBuffer.wrap(new byte[] {1}));
    Upload upload = new Upload(partition, name, "", 1, 1, List.of());
    return job.commit(new TaskLedgers(List.of(TestTable.taskLedger(List.of(upload))))).version();
  }

  private long count(Footprint wanted) throws Exception {
    Head head = table.head().orElseThrow();
    long count = 0;
    try (LiveFiles.Open live = table.liveFiles(head, head.version(), wanted)) {
      while (live.next().isPresent()) {
        count++;
      }
    }
    return count;
  }

  @Test
  void aLargeTableIsMaintainedWithinTheHeap() throws Exception {
    System.out.printf(
        "%,d files in %,d partitions, a heap of %d MiB%n",
        FILES, PARTITIONS, Runtime.getRuntime().maxMemory() / MIB);
    try (ManyFilesStore many = new ManyFilesStore(clock, paths.root(), PARTITIONS, FILES_EACH)) {
      store = new CountedStore(many);
      Ports ports =
          TestPorts.of(store, clock)
              .nonces(() -> UUID.randomUUID().toString())
              .runner(new ThreadedRunner(8))
              .scratch(TemporaryFile::new)
              .ports();
      EngineSettings settings =
          EngineSettingsDraft.ofDefaults().readers(Readers.SNAPSHOT).checkpointEvery(3).done();
      table = Table.open(ports, paths, settings);

      step("adopt", () -> commit(CommitKind.APPEND, "dt=new"));
      step("checkpoint", () -> commit(CommitKind.APPEND, "dt=new"));
      assertThat(table.head().orElseThrow().checkpointVersion()).isEqualTo(3);
      assertThat(step("read", () -> count(Footprint.EVERYTHING))).isEqualTo(FILES + 2L);
      readOnePartition();
      step("overwrite one partition", () -> commit(CommitKind.DYNAMIC, partition()));
      clock.advance(DAY);
      VacuumReport small = step("vacuum a few", () -> table.vacuum(DAY / 2));
      assertThat(small.files()).isEqualTo(FILES_EACH);
      step("overwrite all", () -> commit(CommitKind.STATIC, "dt=new"));
      clock.advance(DAY);
      VacuumReport large = step("vacuum all", () -> table.vacuum(DAY / 2));
      assertThat(large.files()).isEqualTo(FILES - FILES_EACH + 3L);
      assertThat(many.deleted()).isEqualTo(FILES);
    }
  }

  private static String partition() {
    return ManyFilesStore.partition(PARTITIONS / 2);
  }

  /** The goal: 5 requests and 100 ms of CPU. */
  private void readOnePartition() throws Exception {
    Footprint one = Footprint.of(List.of(partition()));
    for (int warm = 0; warm < TIMES; warm++) {
      assertThat(count(one)).isEqualTo(FILES_EACH);
    }
    long before = gets();
    long cpu = cpuMillis();
    for (int read = 0; read < TIMES; read++) {
      count(one);
    }
    long gets = (gets() - before) / TIMES;
    long millis = (cpuMillis() - cpu) / TIMES;
    System.out.printf("read one partition: %d ms of CPU, %d GETs%n", millis, gets);
    assertThat(gets).isLessThanOrEqualTo(5);
    assertThat(millis).isLessThanOrEqualTo(100);
  }
}
