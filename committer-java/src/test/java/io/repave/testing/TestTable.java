package io.repave.testing;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.record.SampleRecords;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A table in a store in memory, and jobs that write to it. The n-th job has the id {@code id(n)},
 * which assertions show as {@code commit-00000n}.
 */
public final class TestTable {
  public final VirtualClock clock;
  public final MemoryObjectStore store;

  /** The same store, with a count of the requests. Processes go through it. */
  public final CountedStore counted;

  public final TablePaths paths;
  // All processes of a test run in one thread, so none of them can keep a heartbeat.
  private EngineSettings settings = EngineSettingsDraft.ofDefaults().heartbeatMillis(0).done();
  private final Supplier<String> nonces = TestPorts.numberedNonces();
  private int jobs;

  public TestTable() {
    this(new Location("lake", "sales"));
  }

  public TestTable(Readers readers) {
    this();
    configure(it -> it.readers(readers));
  }

  public TestTable(Location root) {
    clock = new VirtualClock();
    store = new MemoryObjectStore(Dialect.AWS, clock);
    counted = new CountedStore(store);
    paths = new TablePaths(root);
  }

  /** Another table in the same store; its jobs are counted from {@code firstJob}. */
  public TestTable(TestTable other, Location root, Readers readers, int firstJob) {
    clock = other.clock;
    store = other.store;
    counted = other.counted;
    paths = new TablePaths(root);
    configure(it -> it.readers(readers));
    jobs = firstJob - 1;
  }

  public EngineSettings settings() {
    return settings;
  }

  /** Changes the settings of the processes that open the table from now on. */
  public void configure(UnaryOperator<EngineSettingsDraft> change) {
    settings = change.apply(EngineSettingsDraft.of(settings)).done();
  }

  /** Writes a checkpoint every so many versions. */
  public void checkpointEvery(int versions) {
    configure(it -> it.checkpointEvery(versions));
  }

  /** The ports of a new process, which a test may change before it opens the table with them. */
  public TestPorts process() {
    return process(counted);
  }

  /** The same for a process that has its own way to the store. */
  public TestPorts process(ObjectStore other) {
    return TestPorts.of(other, clock).nonces(nonces);
  }

  /** The table in a process without faults. */
  public Table open() {
    return open(process().ports());
  }

  public Table open(Ports ports) {
    return Table.open(ports, paths, settings);
  }

  /** The table in a process that has its own way to the store. */
  public Table through(ObjectStore other) {
    return open(process().ports().with(other));
  }

  /** The table in a process that runs the hook before each of its requests. */
  public Table before(InterceptingStore.Hook hook) {
    return through(InterceptingStore.before(counted, hook));
  }

  /** A way to the store for a process that dies before one of its calls, counted from 1. */
  public FaultyObjectStore dyingBefore(int call) {
    Network network = new Network(new VirtualClock(), 0);
    FaultSchedule death = FaultSchedule.at(call, Fault.of(Fault.Kind.DIE_BEFORE));
    return new FaultyObjectStore("process", counted, network, death);
  }

  /** The table in a process that dies as it begins a step. */
  public Table dyingAt(Step death) {
    return open(process().progress(death(death)).ports());
  }

  /** Ends the process as it begins a step. */
  public static Progress death(Step death) {
    return (step, done, total) -> {
      if (step == death) {
        throw ProcessDied.at(step);
      }
    };
  }

  /** What single steps run with. */
  public TableContext context() {
    return new TableContext(process().ports(), paths, settings, new Meter(clock, Progress.SILENT));
  }

  /** A job that has begun and uploaded a file for each mention of a partition. */
  public TestJob job(CommitKind kind, String... partitions)
      throws IOException, InterruptedException {
    return job(open(), request(kind), partitions);
  }

  public TestJob job(CommitRequest request, String... partitions)
      throws IOException, InterruptedException {
    return job(open(), request, partitions);
  }

  /** A job in a process that opened the table in its own way. */
  public TestJob job(Table process, CommitKind kind, String... partitions)
      throws IOException, InterruptedException {
    return job(process, request(kind), partitions);
  }

  public TestJob job(Table process, CommitRequest request, String... partitions)
      throws IOException, InterruptedException {
    WriteTransaction transaction = process.begin(request);
    return new TestJob(transaction, ledger(upload(transaction, List.of(partitions))));
  }

  /** Commits until the process dies as it begins a step; returns the commit's id. */
  public CommitId unfinished(Step death, CommitKind kind, String... partitions) throws Exception {
    return unfinished(death, request(kind), partitions);
  }

  public CommitId unfinished(Step death, CommitRequest request, String... partitions)
      throws Exception {
    TestJob job = job(dyingAt(death), request, partitions);
    try {
      job.commit();
    } catch (ProcessDied end) {
      return job.id();
    }
    throw new AssertionError("the process did not die at " + death);
  }

  /** Changes the text of a record and writes a right checksum, as an attacker can. */
  public void rewrite(Location at, UnaryOperator<String> change) throws IOException {
    String json = SampleRecords.json(content(at)).toString();
    String changed = change.apply(json);
    if (changed.equals(json)) {
      throw new AssertionError("the change changes nothing in " + json);
    }
    put(at, changed);
  }

  /** Writes a record with a right checksum. */
  public void put(Location at, String json) throws IOException {
    byte[] sealed = SampleRecords.sealed(json);
    boolean packed = at.key().endsWith(".gz");
    store.put(at, ByteBuffer.wrap(packed ? SampleRecords.packed(sealed) : sealed));
  }

  public byte[] content(Location at) {
    return store.objects().get(at).content();
  }

  /** Every object of the store that is no record, with its content. */
  public Map<String, String> data() {
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

  /** Adds an object that another engine wrote. */
  public void foreign(String key) throws StoreException {
    store.put(paths.root().resolve(key), ByteBuffer.wrap(new byte[] {1}));
  }

  /** The id of the n-th job. */
  public static String id(int job) {
    return CommitNames.id("commit-%06d".formatted(job));
  }

  /** The request of the next job, which begins a second later than the one before. */
  public CommitRequest request(CommitKind kind) {
    return request(kind, "");
  }

  public CommitRequest request(CommitKind kind, String token) {
    List<String> scope = kind == CommitKind.STATIC ? List.of("") : List.of();
    clock.advance(1_000);
    return new CommitRequest(id(++jobs), kind, scope, token, "_SUCCESS");
  }

  /** The same for a job of an application. */
  public CommitRequest request(CommitKind kind, String token, String application) {
    CommitRequest it = request(kind, token);
    return new CommitRequest(it.commit(), kind, it.scope(), token, application, it.marker());
  }

  /** Runs a job that writes a file for each mention of a partition. */
  public CommitResult commit(CommitKind kind, String... partitions)
      throws IOException, InterruptedException {
    return commit(request(kind), List.of(partitions));
  }

  public CommitResult commit(CommitRequest request, Collection<String> partitions)
      throws IOException, InterruptedException {
    return job(request, partitions.toArray(String[]::new)).commit();
  }

  public static Ledger ledger(List<Upload> uploads) throws IOException {
    return new TaskLedgers(List.of(taskLedger(uploads)));
  }

  /** The message of a task that made these uploads. */
  public static byte[] taskLedger(List<Upload> uploads) {
    TaskLedger ledger = new TaskLedger();
    uploads.forEach(ledger::add);
    return ledger.encode();
  }

  /** What the tasks of a job upload. Their requests are not counted. */
  public List<Upload> upload(WriteTransaction job, Collection<String> partitions)
      throws IOException {
    return upload(job, partitions, FileFacts.NONE);
  }

  /** The same, with what the tasks know of each file. */
  public List<Upload> upload(WriteTransaction job, Collection<String> partitions, FileFacts facts)
      throws IOException {
    List<Upload> uploads = new ArrayList<>();
    byte[] content = job.id().id().getBytes(StandardCharsets.UTF_8);
    for (String partition : partitions) {
      String plain = PartFileName.of("", uploads.size(), job.id().id(), 1, ".c000.parquet");
      String name = PartFileName.in(job.folder(), plain);
      Location at = paths.file(partition, name);
      if (job.readers() == Readers.SNAPSHOT && job.folder().isEmpty()) {
        store.put(at, ByteBuffer.wrap(content));
        uploads.add(Upload.existing(partition, name, content.length, facts));
      } else {
        String id = store.createUpload(at);
        String etag = store.uploadPart(at, id, 1, ByteBuffer.wrap(content));
        uploads.add(
            new Upload(partition, name, id, content.length, content.length, List.of(etag), facts));
      }
    }
    return uploads;
  }

  /** The ledger of the files that a job uploads now. */
  public Ledger ledgerOf(WriteTransaction job, String... partitions) throws IOException {
    return ledger(upload(job, List.of(partitions)));
  }

  /** The same files, named as if they were in their partitions' own folders. */
  public static Ledger plain(Ledger files) throws IOException, InterruptedException {
    List<Upload> plain = new ArrayList<>();
    files.each(
        batch -> {
          for (Upload it : batch) {
            String name = PartFileName.withoutFolder(it.name());
            plain.add(
                new Upload(
                    it.partition(), name, it.uploadId(), it.bytes(), it.partBytes(), it.etags()));
          }
        });
    return ledger(plain);
  }

  /** The number of all requests so far. */
  public long requests() {
    return counted.counts().values().stream().mapToLong(Long::longValue).sum();
  }

  public Head head() throws IOException, InterruptedException {
    return open().head().orElseThrow();
  }

  /** All published commits that are still recorded, oldest first. */
  public List<LoggedCommit> history() throws IOException, InterruptedException {
    return open().history(Integer.MAX_VALUE);
  }

  /** The number of records whose key, below {@code _repave/}, begins so. */
  public long records(String prefix) {
    return store.objects().keySet().stream()
        .filter(at -> at.key().contains("_repave/" + prefix))
        .count();
  }

  /** The data files of the table, relative to it. */
  public Set<String> files() {
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

  /** The files in the table's folder, each as {@code partition/commit}. */
  public Set<String> writers() {
    Set<String> writers = new TreeSet<>();
    files().forEach(key -> writers.add(writer(key)));
    return writers;
  }

  /** The file at a key as {@code partition/commit}. */
  public static String writer(String key) {
    String name = key.substring(key.lastIndexOf('/') + 1);
    String folder =
        key.substring(0, Math.max(0, key.length() - name.length() - 1))
            .replaceAll("/?@[0-9a-f-]{36}$", "");
    return folder + "/" + PartFileName.commitOf(name).map(CommitNames::word).orElse(name);
  }

  /** The files that the records name as live, each as {@code partition/commit}. */
  public List<String> recorded() throws IOException, InterruptedException {
    return recordedAt(head().version());
  }

  /** The files that the records name as live at a version, each as {@code partition/commit}. */
  public List<String> recordedAt(long version) throws IOException, InterruptedException {
    Snapshot snapshot = open().snapshot(head(), version);
    List<String> writers = new ArrayList<>();
    for (String partition : snapshot.partitions()) {
      snapshot.files(partition).forEach(file -> writers.add(writer(partition + "/" + file.name())));
    }
    return writers;
  }
}
