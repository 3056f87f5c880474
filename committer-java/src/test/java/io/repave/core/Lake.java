package io.repave.core;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.record.SampleRecords;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.testing.CommitNames;
import io.repave.testing.Dialect;
import io.repave.testing.Fault;
import io.repave.testing.FaultSchedule;
import io.repave.testing.FaultyObjectStore;
import io.repave.testing.MemoryObjectStore;
import io.repave.testing.MemoryScratch;
import io.repave.testing.Network;
import io.repave.testing.SingleThreadRunner;
import io.repave.testing.VirtualClock;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** A table in a store in memory, and jobs that write to it, for tests of the engine. */
final class Lake {
  final VirtualClock clock;
  final MemoryObjectStore store;
  final CountedStore counted;
  final TablePaths paths;
  // One thread plays several processes here, so no process can be seen to be alive.
  EngineSettings settings = EngineSettings.DEFAULTS.change().heartbeatMillis(0).done();
  private int nonces;
  private int jobs;

  Lake() {
    this(new Location("lake", "sales"));
  }

  Lake(Readers readers) {
    this();
    settings = settings.with(readers);
  }

  Lake(Location root) {
    clock = new VirtualClock();
    store = new MemoryObjectStore(Dialect.AWS, clock);
    counted = new CountedStore(store);
    paths = new TablePaths(root);
  }

  /** Another table in the same store; its jobs are counted from {@code firstJob}. */
  Lake(Lake other, Location root, Readers readers, int firstJob) {
    clock = other.clock;
    store = other.store;
    counted = other.counted;
    paths = new TablePaths(root);
    settings = settings.with(readers);
    jobs = firstJob - 1;
  }

  Ports ports() {
    return new Ports(
        counted, clock, this::nonce, new SingleThreadRunner(), MemoryScratch::new, Progress.SILENT);
  }

  private String nonce() {
    return "nonce-" + (1_000_000 + ++nonces);
  }

  Table table() {
    return Table.open(ports(), paths, settings);
  }

  /** The table in a process that has its own way to the store. */
  Table through(ObjectStore other) {
    return Table.open(ports().with(other), paths, settings);
  }

  /** Checkpoints every so many versions. */
  void checkpointEvery(int versions) {
    settings = settings.change().checkpointEvery(versions).done();
  }

  /** Happens before a call of the port, and may fail it. */
  @FunctionalInterface
  interface BeforeCall {
    void call(String name) throws IOException;
  }

  /** A way to the store on which something happens before each call. */
  ObjectStore turning(BeforeCall before) {
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, arguments) -> {
              before.call(method.getName());
              try {
                return method.invoke(counted, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** A way to the store for a process that dies before one of its calls, counted from 1. */
  FaultyObjectStore dyingBefore(int call) {
    Network network = new Network(new VirtualClock(), 0);
    FaultSchedule death = FaultSchedule.at(call, Fault.of(Fault.Kind.DIE_BEFORE));
    return new FaultyObjectStore("process", counted, network, death);
  }

  /** The table in a process that dies as it begins a step. */
  Table dyingAt(Step death) {
    Ports p = ports();
    Progress dies =
        (step, done, total) -> {
          if (step == death) {
            throw new Died();
          }
        };
    return Table.open(
        new Ports(p.store(), p.clock(), p.nonces(), p.runner(), p.scratch(), dies),
        paths,
        settings);
  }

  /** How a process ends that a test lets die. */
  static final class Died extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** Commits until the process dies as it begins a step; returns the commit's id. */
  CommitId unfinished(Step death, CommitKind kind, String... partitions) throws Exception {
    WriteTransaction job = dyingAt(death).begin(request(kind));
    Ledger ledger = ledger(upload(job, List.of(partitions)));
    try {
      job.commit(ledger);
    } catch (Died end) {
      return job.id();
    }
    throw new AssertionError("nobody died at " + death);
  }

  /** Changes the text of a record and seals it again: whoever may write there can do so. */
  void rewrite(Location at, UnaryOperator<String> change) throws IOException {
    String json = SampleRecords.json(content(at)).toString();
    String changed = change.apply(json);
    if (changed.equals(json)) {
      throw new AssertionError("the change changes nothing in " + json);
    }
    store.put(at, ByteBuffer.wrap(SampleRecords.sealed(changed)));
  }

  byte[] content(Location at) {
    return store.objects().get(at).content();
  }

  /** Everything in the store but records, with its content: what no refusal may change. */
  Map<String, String> data() {
    Map<String, String> data = new TreeMap<>();
    store
        .objects()
        .forEach(
            (at, object) -> {
              if (!at.key().contains("_repave/")) {
                data.put(at.toString(), new String(object.content(), StandardCharsets.UTF_8));
              }
            });
    return data;
  }

  /** Something that another engine put into the table. */
  void foreign(String key) throws IOException {
    store.put(paths.root().resolve(key), ByteBuffer.wrap(new byte[] {1}));
  }

  /** The id of the n-th job. */
  static String id(int job) {
    return CommitNames.id("commit-%06d".formatted(job));
  }

  CommitRequest request(CommitKind kind) {
    return request(kind, "");
  }

  CommitRequest request(CommitKind kind, String token) {
    List<String> scope = kind == CommitKind.STATIC ? List.of("") : List.of();
    clock.advance(1_000);
    return new CommitRequest(id(++jobs), kind, scope, token, "_SUCCESS");
  }

  /** Runs a job that writes one file to each of the partitions, each mentioned as often. */
  CommitResult commit(CommitKind kind, String... partitions)
      throws IOException, InterruptedException {
    return commit(request(kind), List.of(partitions));
  }

  CommitResult commit(CommitRequest request, Collection<String> partitions)
      throws IOException, InterruptedException {
    WriteTransaction job = table().begin(request);
    return job.commit(ledger(upload(job, partitions)));
  }

  static Ledger ledger(List<Upload> uploads) throws IOException {
    return new TaskLedgers(List.of(TaskLedger.encode(uploads)));
  }

  /** The tasks' part of a job, past the counter. */
  List<Upload> upload(WriteTransaction job, Collection<String> partitions) throws IOException {
    List<Upload> uploads = new ArrayList<>();
    byte[] content = job.id().id().getBytes(StandardCharsets.UTF_8);
    for (String partition : partitions) {
      String name = PartFileName.of("", uploads.size(), job.id().id(), 1, ".c000.parquet");
      Location at = paths.file(partition, name);
      if (settings.readers() == Readers.SNAPSHOT) {
        store.put(at, ByteBuffer.wrap(content));
        uploads.add(new Upload(partition, name, "", content.length, content.length, List.of()));
      } else {
        String id = store.createUpload(at);
        String etag = store.uploadPart(at, id, 1, ByteBuffer.wrap(content));
        uploads.add(new Upload(partition, name, id, content.length, content.length, List.of(etag)));
      }
    }
    return uploads;
  }

  /** The data files of the table, relative to it. */
  Set<String> files() {
    Set<String> files = new TreeSet<>();
    for (Location at : store.objects().keySet()) {
      if (paths.root().holds(at)) {
        String key = paths.root().relative(at);
        if (!key.startsWith("_")) {
          files.add(key);
        }
      }
    }
    return files;
  }

  /** The files of the table as {@code partition/commit}: who wrote what is there. */
  Set<String> writers() {
    Set<String> writers = new TreeSet<>();
    files().forEach(key -> writers.add(writer(key)));
    return writers;
  }

  /** The file at a key as {@code partition/commit}. */
  static String writer(String key) {
    String name = key.substring(key.lastIndexOf('/') + 1);
    String folder = key.substring(0, Math.max(0, key.length() - name.length() - 1));
    return folder + "/" + PartFileName.commitOf(name).map(CommitNames::word).orElse(name);
  }

  /** The files that the records name as live, each as {@code partition/commit}. */
  List<String> recorded() throws IOException, InterruptedException {
    return recordedAt(table().head().orElseThrow().version());
  }

  /** The same at a version. */
  List<String> recordedAt(long version) throws IOException, InterruptedException {
    Snapshot snapshot = table().snapshot(table().head().orElseThrow(), version);
    List<String> writers = new ArrayList<>();
    for (String partition : snapshot.partitions()) {
      snapshot.files(partition).forEach(file -> writers.add(writer(partition + "/" + file.name())));
    }
    return writers;
  }
}
