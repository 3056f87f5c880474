package io.repave.core.guard;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.DeliveryGuards;
import io.repave.core.engine.Ports;
import io.repave.core.ledger.FactsReader;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A table whose files end with their number of rows, in eight digits. A file is described as {@code
 * dt=1:100} when its writer tells its rows, as {@code dt=1:100?} when only its end does, and as
 * {@code dt=1:?} when nothing does.
 */
final class GuardedTable {
  private static final int DIGITS = 8;

  final TestTable table;
  private final Readers readers;

  GuardedTable(Readers readers) {
    this.table = new TestTable(readers);
    this.readers = readers;
  }

  static DeliveryGuards only(String... folders) {
    return new DeliveryGuards(List.of(folders), BigDecimal.ZERO);
  }

  static DeliveryGuards shrink(String part) {
    return new DeliveryGuards(List.of(), new BigDecimal(part));
  }

  static FileFacts lastDigits(FactsReader.FileEnd file) throws IOException {
    String end = new String(file.read(DIGITS, DIGITS).orElseThrow(), StandardCharsets.US_ASCII);
    return end.contains("?") ? FileFacts.NONE : FileFacts.ofRows(Long.parseLong(end));
  }

  Table open() {
    return table.open(table.process().facts(GuardedTable::lastDigits).ports());
  }

  CommitResult commit(CommitKind kind, String... files) throws Exception {
    return job(kind, DeliveryGuards.NONE, files).commit();
  }

  TestJob job(CommitKind kind, DeliveryGuards guards, String... files) throws Exception {
    return job(table.request(kind).guardedBy(guards), files);
  }

  TestJob job(CommitRequest request, String... files) throws Exception {
    WriteTransaction job = open().begin(request);
    return new TestJob(job, TestTable.ledger(uploads(job, files)));
  }

  /** A dynamic overwrite in another process. */
  TestJob job(Table process, DeliveryGuards guards, String... files) throws Exception {
    WriteTransaction job = process.begin(table.request(CommitKind.DYNAMIC).guardedBy(guards));
    return new TestJob(job, TestTable.ledger(uploads(job, files)));
  }

  /** A process that may not read one file. */
  Ports denying(String key) {
    Location denied = table.paths.root().resolve(key);
    return table
        .process()
        .facts(GuardedTable::lastDigits)
        .ports()
        .with(
            InterceptingStore.before(
                table.counted,
                (call, at) -> {
                  if (call == StoreCall.READ && at.equals(denied)) {
                    throw new StoreException(StoreException.Kind.DENIED, "GET " + at + ": 403");
                  }
                }));
  }

  /** A file of another engine. */
  void foreign(String key, String rows) throws IOException {
    table.store.put(table.paths.root().resolve(key), content(rows));
  }

  List<Upload> uploads(WriteTransaction job, String... files) throws IOException {
    List<Upload> uploads = new ArrayList<>();
    for (String file : files) {
      int colon = file.lastIndexOf(':');
      String partition = file.substring(0, colon);
      String rows = file.substring(colon + 1);
      String name = PartFileName.of("", uploads.size(), job.id().id(), 1, ".c000.parquet");
      Location at = table.paths.file(partition, name);
      ByteBuffer content = content(rows);
      int bytes = content.remaining();
      FileFacts facts =
          rows.endsWith("?") ? FileFacts.NONE : FileFacts.ofRows(Long.parseLong(rows));
      if (readers == Readers.SNAPSHOT) {
        table.store.put(at, content);
        uploads.add(new Upload(partition, name, "", bytes, bytes, List.of(), facts));
      } else {
        String id = table.store.createUpload(at);
        String etag = table.store.uploadPart(at, id, 1, content);
        uploads.add(new Upload(partition, name, id, bytes, bytes, List.of(etag), facts));
      }
    }
    return uploads;
  }

  private static ByteBuffer content(String rows) {
    String digits = rows.replace("?", "");
    String end =
        digits.isEmpty()
            ? "?".repeat(DIGITS)
            : String.format(Locale.ROOT, "%08d", Long.parseLong(digits));
    return ByteBuffer.wrap(("rows " + end).getBytes(StandardCharsets.US_ASCII));
  }

  /** The requests that the job's commit sends. */
  Map<Request, Long> requests(TestJob job) throws Exception {
    Map<Request, Long> before = new TreeMap<>(table.counted.counts());
    job.commit();
    Map<Request, Long> counts = new TreeMap<>(table.counted.counts());
    before.forEach((request, count) -> counts.merge(request, -count, Long::sum));
    counts.values().removeIf(count -> count == 0);
    return counts;
  }
}
