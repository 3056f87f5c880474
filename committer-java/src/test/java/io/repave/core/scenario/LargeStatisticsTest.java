package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.Step;
import io.repave.core.ledger.ColumnBounds;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Schema;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileEntry;
import io.repave.core.record.FileTotals;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.Snapshot;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Statistics of control characters take six bytes each in JSON. Their records stay readable. */
class LargeStatisticsTest {
  private static final List<ColumnBounds> LARGEST = largest();

  private static List<ColumnBounds> largest() {
    List<ColumnBounds> columns = new ArrayList<>();
    String bound = "\u0001".repeat(ColumnBounds.VALUE_BYTES_MAX);
    for (int column = 0; column < ColumnBounds.COLUMNS_MAX; column++) {
      columns.add(
          new ColumnBounds(
              "column" + column,
              "string",
              Optional.of(bound),
              Optional.of(bound),
              OptionalLong.of(0)));
    }
    return columns;
  }

  private static String schema() {
    return LARGEST.stream()
        .map(
            it ->
                "{\"name\":\""
                    + it.column()
                    + "\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}")
        .collect(Collectors.joining(",", "{\"type\":\"struct\",\"fields\":[", "]}"));
  }

  private static TestJob job(TestTable table, Table process, int files) throws Exception {
    WriteTransaction job = process.begin(table.request(CommitKind.DYNAMIC));
    FileFacts facts = FileFacts.ofRows(1).withColumns(LARGEST).withSchema(Schema.of(schema()));
    List<String> partitions = Collections.nCopies(files, "dt=1");
    return new TestJob(job, TestTable.ledger(table.upload(job, partitions, facts)));
  }

  /** So many files fit into one record, if it has room for their statistics. */
  @Test
  void aCommitWithTheLargestStatisticsCanBeRead() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.checkpointEvery(3);
    table.commit(CommitKind.APPEND, "dt=1");
    CommitId id = job(table, table.open(), Ledger.BATCH).commit().by();
    assertThat(table.head().checkpointVersion()).isEqualTo(table.head().version());
    assertLive(table, Ledger.BATCH);
    assertThat(table.open().manifest(id).orElseThrow().index().totals().rowsIn()).hasValue(10_000);
  }

  @Test
  void itIsFinishedByAnotherProcess() throws Exception {
    TestTable table = new TestTable();
    TestJob job = job(table, table.dyingAt(Step.COMPLETE_UPLOADS), Ledger.BATCH + 1);
    CommitId id = job.id();
    assertThatThrownBy(job::commit).isInstanceOf(ProcessDied.class);
    table.open().recover();
    assertThat(table.head().logged(id)).isPresent();
    assertLive(table, Ledger.BATCH + 1);
  }

  /** A version of a Delta log may be larger than a record. */
  @Test
  void aRecoveryFindsTheVersionThatTheDriverWroteToADeltaLog() throws Exception {
    TestTable table = new TestTable();
    job(table, table.open(), 1).commit();
    table.open().follow(FollowerKind.DELTA);
    TestJob job = job(table, table.dyingAt(Step.RETIRE), Ledger.BATCH);
    assertThatThrownBy(job::commit).isInstanceOf(ProcessDied.class);
    table.open().recover();
    Follower log = table.head().follower(FollowerKind.DELTA).orElseThrow();
    assertThat(log.followed()).isEqualTo(table.head().version());
  }

  /** A rollback names all files of a table. */
  @Test
  void theSizeOfMoreFilesThanARecordCanCountIsTheLargestNumber() throws Exception {
    FileEntry large = new FileEntry("a.parquet", FileFacts.NUMBER_MAX);
    List<FileEntry> files = List.of(large, large);
    PartitionEntry entry = new PartitionEntry("dt=1", files, files, List.of());
    FileTotals totals = FileTotals.NONE.plus(entry).plus(entry);
    assertThat(totals.bytesIn()).isEqualTo(FileFacts.NUMBER_MAX);
    assertThat(totals.bytesOut()).isEqualTo(FileFacts.NUMBER_MAX);
  }

  private static void assertLive(TestTable table, int files) throws Exception {
    Snapshot snapshot = table.open().snapshot(table.head(), table.head().version());
    List<FileEntry> live = snapshot.files("dt=1");
    assertThat(live).hasSize(files);
    assertThat(live).allMatch(file -> file.facts().columns().equals(LARGEST));
    assertThat(table.head().active()).isEmpty();
  }
}
