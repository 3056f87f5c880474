package io.repave.core.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.Meter;
import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.ColumnBounds;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.LedgerSummary;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.Schema;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.core.store.Utf8Order;
import io.repave.testing.EngineSettingsDraft;
import io.repave.testing.MemoryObjectStore;
import io.repave.testing.MemoryScratch;
import io.repave.testing.TestPorts;
import io.repave.testing.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Random histories in manifests and checkpoints, compared with a map of the live files. */
class LiveFilesTest {
  private static final int SEEDS = 50;
  private static final int SHARD = 4;
  private static final List<String> PARTITIONS =
      List.of(
          "",
          "dt=1",
          "dt=1-a",
          "dt=1/hour=1",
          "dt=1/hour=2",
          "dt=10",
          "dt=2",
          "s3://other/dt=1",
          "ü=é");

  private final MemoryObjectStore store = new MemoryObjectStore();
  private final VirtualClock clock = new VirtualClock();
  private final TablePaths paths = new TablePaths(new Location("lake", "t"));
  private final Supplier<String> nonces = TestPorts.numberedNonces();

  private TableContext context() {
    Ports ports = TestPorts.of(store, clock).nonces(nonces).ports();
    Meter meter = new Meter(clock, Progress.SILENT);
    return new TableContext(ports, paths, EngineSettingsDraft.ofDefaults().done(), meter);
  }

  /** The live files, by partition and name. */
  private static final class Model {
    final SortedMap<String, SortedSet<String>> live = new TreeMap<>(Utf8Order.KEYS);

    List<String> all() {
      List<String> all = new ArrayList<>();
      live.forEach((partition, names) -> names.forEach(name -> all.add(partition + "|" + name)));
      return all;
    }

    void add(String partition, String name) {
      live.computeIfAbsent(partition, p -> new TreeSet<>(Utf8Order.KEYS)).add(name);
    }

    void remove(String partition, String name) {
      live.getOrDefault(partition, new TreeSet<>()).remove(name);
    }
  }

  private Head commit(Head head, long seed, Random random, Model model) throws Exception {
    CommitKind[] kinds = {
      CommitKind.APPEND, CommitKind.DYNAMIC, CommitKind.STATIC, CommitKind.ADOPT
    };
    CommitKind kind = kinds[random.nextInt(kinds.length)];
    CommitId id = new CommitId(new UUID(seed, head.version()).toString(), clock.wallMillis());
    SortedSet<String> touched = new TreeSet<>(Utf8Order.KEYS);
    List<String[]> files = new ArrayList<>();
    int count = random.nextInt(12);
    for (int i = 0; i < count; i++) {
      String partition = PARTITIONS.get(random.nextInt(PARTITIONS.size()));
      files.add(new String[] {partition, PartFileName.of("", random.nextInt(9), id.id(), i, ".x")});
      touched.add(partition);
    }
    List<String> scope =
        kind == CommitKind.STATIC
            ? List.of(PARTITIONS.get(random.nextInt(PARTITIONS.size())))
            : kind == CommitKind.ADOPT ? List.of("") : List.of();
    LedgerIndex index =
        new LedgerIndex(
            id,
            kind,
            scope,
            "",
            "",
            "",
            new LedgerSummary(count, count, kind == CommitKind.ADOPT ? new TreeSet<>() : touched),
            0,
            0);
    Footprint replaced = Footprint.replaced(kind, index.summary().partitions(), scope);
    try (ManifestWriter manifest = new ManifestWriter(context(), index, SHARD, 6)) {
      for (Map.Entry<String, SortedSet<String>> each : model.live.entrySet()) {
        boolean gone = kind == CommitKind.ADOPT && random.nextInt(3) == 0;
        for (String name : List.copyOf(each.getValue())) {
          if (replaced.covers(each.getKey()) || gone) {
            manifest.out(each.getKey(), new FileEntry(name, 1));
            model.remove(each.getKey(), name);
          }
        }
      }
      for (String[] file : files) {
        if (kind == CommitKind.ADOPT) {
          manifest.adopted(file[0], new FileEntry(file[1], 1));
        } else {
          manifest.in(file[0], new FileEntry(file[1], 1));
        }
        model.add(file[0], file[1]);
      }
      manifest.finish();
    }
    // Version 0.1 recorded no outline, and a full head has a shorter one.
    ActiveCommit own =
        new ActiveCommit(
            id, kind, CommitState.PENDING, 0, 0, "", 0, 0, index.footprint().outline());
    List<String> outline =
        switch (random.nextInt(4)) {
          case 0 -> List.of();
          case 1 -> own.shortened().touched();
          default -> own.touched();
        };
    LoggedCommit logged = new LoggedCommit(id, kind, head.version() + 1, "", outline);
    return head.logging(logged).change().version(head.version() + 1).done();
  }

  private List<String> read(Head head, long version, Footprint wanted) throws Exception {
    List<String> all = new ArrayList<>();
    LiveFiles inMemory = new LiveFiles(context());
    LiveFiles onDisk = new LiveFiles(context(), 3, 1);
    try (LiveFiles.Open live =
        (version % 2 == 0 ? inMemory : onDisk).covered(head, version, wanted)) {
      live.each((partition, file) -> all.add(partition + "|" + file.name()));
    }
    return all;
  }

  @Test
  void everyVersionIsWhatTheCommitsSayHoweverItWasCheckpointed() throws Exception {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Head head = Head.first("table-" + seed, Readers.SNAPSHOT);
      Model model = new Model();
      Map<Long, List<String>> versions = new TreeMap<>();
      for (int turn = 0; turn < 50; turn++) {
        head = commit(head, seed, random, model);
        versions.put(head.version(), model.all());
        if (seed % 2 == 0 && random.nextInt(4) == 0) {
          int foldersMost = seed % 4 == 0 ? 2 : Integer.MAX_VALUE;
          String name = new CheckpointWriter(context(), SHARD, foldersMost).writeFiles(head);
          head = head.change().checkpoint(head.version(), name).done();
        }
      }
      for (Map.Entry<Long, List<String>> version : versions.entrySet()) {
        assertThat(read(head, version.getKey(), Footprint.EVERYTHING))
            .as("seed %d, version %d", seed, version.getKey())
            .isEqualTo(version.getValue());
      }
      assertOnePartitionIsTheSame(head, versions.get(head.version()), seed);
    }
  }

  private void assertOnePartitionIsTheSame(Head head, List<String> all, long seed)
      throws Exception {
    for (String partition : PARTITIONS) {
      Footprint wanted = Footprint.of(List.of(partition));
      List<String> expected =
          all.stream().filter(file -> wanted.covers(file.substring(0, file.indexOf('|')))).toList();
      assertThat(read(head, head.version(), wanted))
          .as("seed %d, %s", seed, partition)
          .isEqualTo(expected);
    }
  }

  @Test
  void filesThatDoNotFitIntoMemoryComeInOrder() throws Exception {
    Random random = new Random(1);
    try (FileSorter sorter = new FileSorter(MemoryScratch::new, 10)) {
      List<FileStream.Placed> expected = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        String partition = PARTITIONS.get(random.nextInt(PARTITIONS.size()));
        FileEntry file = new FileEntry("name-" + i + "-\uD83D\uDE00\uFFFD", i, facts(i));
        sorter.add(partition, file);
        expected.add(new FileStream.Placed(partition, file));
      }
      expected.sort(FileStream.Placed.ORDER);
      for (int pass = 0; pass < 2; pass++) {
        FileStream files = sorter.files();
        List<FileStream.Placed> sorted = new ArrayList<>();
        for (Optional<FileStream.Placed> next = files.next();
            next.isPresent();
            next = files.next()) {
          sorted.add(next.get());
        }
        assertThat(sorted).isEqualTo(expected);
      }
    }
  }

  /** A head that names an unreadable checkpoint would make the table unusable. */
  @Test
  void aCheckpointIndexThatIsTooLargeIsNotWritten() throws Exception {
    LoggedCommit unreadable =
        new LoggedCommit(
            new CommitId(new UUID(1, 1).toString(), 0),
            CommitKind.APPEND,
            1,
            "x".repeat(9_000),
            List.of());
    Head head =
        Head.first("table", Readers.LISTING).logging(unreadable).change().version(20).done();
    assertThatThrownBy(() -> new CheckpointWriter(context()).writeIfDue(head, 20))
        .isInstanceOf(InvalidRecordException.class);
    assertThat(store.objects()).isEmpty();
  }

  @Test
  void recordsOutOfOrderAreRefused() throws Exception {
    FileStream.Placed second = new FileStream.Placed("dt=2", new FileEntry("a", 1));
    FileStream.Placed first = new FileStream.Placed("dt=1", new FileEntry("a", 1));
    FileMerge merge = new FileMerge(List.of(FileStream.of(List.of(second, first).iterator())));
    assertThatThrownBy(merge::next)
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("out of order");
  }

  private static FileFacts facts(int rows) {
    FileFacts facts = rows % 2 == 0 ? FileFacts.ofRows(rows) : FileFacts.NONE;
    if (rows % 7 == 0) {
      Optional<String> low = rows % 2 == 0 ? Optional.of("é" + rows) : Optional.empty();
      OptionalLong nulls = rows % 5 == 0 ? OptionalLong.of(rows) : OptionalLong.empty();
      ColumnBounds bounds = new ColumnBounds("a", "string", low, Optional.of(""), nulls);
      facts = facts.withColumns(List.of(bounds, bounds)).withOrdered(Optional.of("id"));
    }
    return rows % 3 == 0 ? facts : facts.withSchema(Schema.of("{\"columns\":" + rows % 5 + "}"));
  }
}
