package io.repave.contract;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.ledger.ColumnBounds;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.testing.EngineSettingsDraft;
import io.repave.testing.MemoryObjectStore;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestTable;
import io.repave.testing.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** A table whose records are golden: the engine writes it with fixed ids and times, or it loads. */
final class GoldenTable {
  private final TestTable table;
  final VirtualClock clock;
  final MemoryObjectStore store;
  final TablePaths paths;

  GoldenTable(String name) {
    table = new TestTable(new Location("lake", name));
    table.checkpointEvery(2);
    clock = table.clock;
    store = table.store;
    paths = table.paths;
  }

  static GoldenTable load(String state) throws IOException {
    GoldenTable table = new GoldenTable(state);
    for (Map.Entry<String, byte[]> record : RecordFiles.read(state).entrySet()) {
      table.put(record.getKey(), record.getValue());
    }
    return table;
  }

  GoldenTable readBySnapshot() {
    configure(it -> it.readers(Readers.SNAPSHOT));
    return this;
  }

  GoldenTable followedBy(FollowerKind... kinds) {
    configure(it -> it.followers(List.of(kinds)));
    return this;
  }

  EngineSettings settings() {
    return table.settings();
  }

  void configure(UnaryOperator<EngineSettingsDraft> change) {
    table.configure(change);
  }

  Table table() {
    return table.open();
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
    return table.content(at);
  }

  void put(String path, byte[] content) throws IOException {
    store.put(paths.root().resolve(path), ByteBuffer.wrap(content));
  }

  void put(Location at, byte[] content) throws IOException {
    store.put(at, ByteBuffer.wrap(content));
  }

  /** Changes the text of a record and writes a right checksum. */
  void rewrite(Location at, UnaryOperator<String> change) throws IOException {
    table.rewrite(at, change);
  }

  /** Runs a job that writes a file for each mention of a partition. */
  void commit(CommitKind kind, String... partitions) throws Exception {
    commitWithToken(kind, "", partitions);
  }

  void commitWithToken(CommitKind kind, String token, String... partitions) throws Exception {
    table.job(request(kind, token), partitions).commit();
  }

  /** A job that is committed later. */
  WriteTransaction begin(Progress progress, CommitKind kind) throws Exception {
    return table.open(table.process().progress(progress).ports()).begin(request(kind, ""));
  }

  /** Commits until the process dies as it begins a step. */
  void unfinished(Step death, CommitKind kind, String... partitions) throws Exception {
    table.unfinished(death, request(kind, ""), partitions);
  }

  /** Commits a job whose process dies. */
  void die(WriteTransaction job, String... partitions) throws Exception {
    try {
      job.commit(ledger(upload(job, partitions)));
    } catch (ProcessDied end) {
      return;
    }
    throw new AssertionError("the process did not die");
  }

  /** Runs a job that writes one file with so many rows into each of these partitions. */
  void commitRows(CommitKind kind, SortedMap<String, Long> rows) throws Exception {
    WriteTransaction job = begin((step, done, total) -> {}, kind);
    List<Upload> uploads = upload(job, rows.keySet().toArray(String[]::new));
    job.commit(ledger(uploads.stream().map(it -> withRows(it, rows.get(it.partition()))).toList()));
  }

  /** Runs a job that writes one file with a schema into each of these partitions. */
  void commitSchemas(CommitKind kind, SortedMap<String, String> schemas) throws Exception {
    WriteTransaction job = begin((step, done, total) -> {}, kind);
    List<Upload> uploads = upload(job, schemas.keySet().toArray(String[]::new));
    job.commit(
        ledger(
            uploads.stream()
                .map(it -> withFacts(it, facts(schemas.get(it.partition()))))
                .toList()));
  }

  /** Runs a job that writes one file in an order into each of these partitions. */
  void commitOrdered(CommitKind kind, SortedMap<String, String> orders) throws Exception {
    WriteTransaction job = begin((step, done, total) -> {}, kind);
    List<Upload> uploads = upload(job, orders.keySet().toArray(String[]::new));
    job.commit(
        ledger(
            uploads.stream()
                .map(
                    it ->
                        withFacts(
                            it,
                            FileFacts.ofRows(2)
                                .withOrdered(Optional.of(orders.get(it.partition())))))
                .toList()));
  }

  private static FileFacts facts(String schema) {
    ColumnBounds known =
        new ColumnBounds("id", "long", Optional.of("-1"), Optional.of("100"), OptionalLong.of(0));
    ColumnBounds unknown =
        new ColumnBounds("é", "double", Optional.empty(), Optional.empty(), OptionalLong.empty());
    return FileFacts.NONE
        .withSchema(io.repave.core.ledger.Schema.of(schema))
        .withColumns(schema.length() < 100 ? List.of(known) : List.of(known, unknown));
  }

  private static Upload withRows(Upload file, long rows) {
    return withFacts(file, FileFacts.ofRows(rows));
  }

  private static Upload withFacts(Upload file, FileFacts facts) {
    return new Upload(
        file.partition(),
        file.name(),
        file.uploadId(),
        file.bytes(),
        file.partBytes(),
        file.etags(),
        facts);
  }

  private CommitRequest request(CommitKind kind, String token) {
    CommitRequest request = table.request(kind, token);
    return new CommitRequest(
        request.commit(), kind, request.scope(), token, "golden", request.marker());
  }

  static Ledger ledger(List<Upload> uploads) throws IOException {
    return TestTable.ledger(uploads);
  }

  List<Upload> upload(WriteTransaction job, String... partitions) throws IOException {
    return table.upload(job, List.of(partitions));
  }
}
