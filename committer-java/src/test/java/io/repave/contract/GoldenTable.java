package io.repave.contract;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.record.SampleRecords;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.testing.CommitNames;
import io.repave.testing.Dialect;
import io.repave.testing.MemoryObjectStore;
import io.repave.testing.MemoryScratch;
import io.repave.testing.SingleThreadRunner;
import io.repave.testing.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** A table in a store in memory: written by the engine with fixed ids and times, or loaded. */
final class GoldenTable {
  final VirtualClock clock = new VirtualClock();
  final MemoryObjectStore store = new MemoryObjectStore(Dialect.AWS, clock);
  final TablePaths paths;

  // One thread plays several processes, so no process can show that it is alive.
  EngineSettings settings =
      EngineSettings.DEFAULTS.change().heartbeatMillis(0).checkpointEvery(2).done();

  private int nonces;
  private int jobs;

  GoldenTable(String name) {
    paths = new TablePaths(new Location("lake", name));
  }

  static GoldenTable load(String state) throws IOException {
    GoldenTable table = new GoldenTable(state);
    for (Map.Entry<String, byte[]> record : RecordFiles.read(state).entrySet()) {
      table.put(record.getKey(), record.getValue());
    }
    return table;
  }

  GoldenTable readBySnapshot() {
    settings = settings.with(Readers.SNAPSHOT);
    return this;
  }

  Table table() {
    return table((step, done, total) -> {});
  }

  private Table table(Progress progress) {
    Ports ports =
        new Ports(
            store,
            clock,
            () -> "nonce-" + (1_000_000 + ++nonces),
            new SingleThreadRunner(),
            MemoryScratch::new,
            progress);
    return Table.open(ports, paths, settings);
  }

  /** The records as they are now: path below the table's folder, and content. */
  SortedMap<String, byte[]> records() {
    SortedMap<String, byte[]> records = new TreeMap<>();
    store
        .objects()
        .forEach(
            (at, object) -> {
              if (paths.records().holds(at)) {
                records.put(paths.root().relative(at), object.content());
              }
            });
    return records;
  }

  byte[] content(Location at) {
    return store.objects().get(at).content();
  }

  void put(String path, byte[] content) throws IOException {
    store.put(paths.root().resolve(path), ByteBuffer.wrap(content));
  }

  void put(Location at, byte[] content) throws IOException {
    store.put(at, ByteBuffer.wrap(content));
  }

  /** Changes the text of a record and seals it again. */
  void rewrite(Location at, UnaryOperator<String> change) throws IOException {
    String before = SampleRecords.json(content(at)).toString();
    String after = change.apply(before);
    if (after.equals(before)) {
      throw new AssertionError("the change changes nothing in " + before);
    }
    byte[] sealed = SampleRecords.sealed(after);
    put(at, at.key().endsWith(".gz") ? SampleRecords.packed(sealed) : sealed);
  }

  /** Runs a job that writes one file to each of the partitions. */
  void commit(CommitKind kind, String... partitions) throws Exception {
    commitWithToken(kind, "", partitions);
  }

  void commitWithToken(CommitKind kind, String token, String... partitions) throws Exception {
    WriteTransaction job = table().begin(request(kind, token));
    job.commit(ledger(upload(job, partitions)));
  }

  /** A job that is committed later. */
  WriteTransaction begin(Progress progress, CommitKind kind) throws Exception {
    return table(progress).begin(request(kind, ""));
  }

  /** Commits until the process dies as it begins a step. */
  void unfinished(Step death, CommitKind kind, String... partitions) throws Exception {
    die(begin(dyingAt(death), kind), partitions);
  }

  static Progress dyingAt(Step death) {
    return (step, done, total) -> {
      if (step == death) {
        throw new Died();
      }
    };
  }

  /** Commits a job whose process dies. */
  void die(WriteTransaction job, String... partitions) throws Exception {
    try {
      job.commit(ledger(upload(job, partitions)));
    } catch (Died end) {
      return;
    }
    throw new AssertionError("nobody died");
  }

  /** How a process ends. */
  static final class Died extends Error {
    private static final long serialVersionUID = 1L;
  }

  private CommitRequest request(CommitKind kind, String token) {
    clock.advance(1_000);
    String id = CommitNames.id("commit-%06d".formatted(++jobs));
    List<String> scope = kind == CommitKind.STATIC ? List.of("") : List.of();
    return new CommitRequest(id, kind, scope, token, "golden", "_SUCCESS");
  }

  static Ledger ledger(List<Upload> uploads) throws IOException {
    return new TaskLedgers(List.of(TaskLedger.encode(uploads)));
  }

  List<Upload> upload(WriteTransaction job, String... partitions) throws IOException {
    List<Upload> uploads = new ArrayList<>();
    byte[] content = job.id().id().getBytes(StandardCharsets.UTF_8);
    for (String partition : partitions) {
      String name = PartFileName.of("", uploads.size(), job.id().id(), 1, ".c000.parquet");
      Location at = paths.file(partition, name);
      if (settings.readers() == Readers.SNAPSHOT) {
        put(at, content);
        uploads.add(new Upload(partition, name, "", content.length, content.length, List.of()));
      } else {
        String id = store.createUpload(at);
        String etag = store.uploadPart(at, id, 1, ByteBuffer.wrap(content));
        uploads.add(new Upload(partition, name, id, content.length, content.length, List.of(etag)));
      }
    }
    return uploads;
  }
}
