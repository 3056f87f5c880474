package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.CommitRequest;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A write that counts as done must have its rows, unless later commits replaced them. */
class RepeatedWriteTest {
  private static final String TOKEN = "nightly/2026-11-21";

  private void write(TestTable table) throws Exception {
    table.commit(table.request(CommitKind.APPEND, TOKEN), List.of("dt=1", "dt=2"));
  }

  private static void dropPartition(TestTable table, String partition) {
    String prefix = table.paths.folder(partition).prefix();
    table.store.delete(
        table.store.objects().keySet().stream().filter(at -> at.key().startsWith(prefix)).toList());
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aRepetitionIsRefusedWhenItsRowsWereDeleted(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    write(table);
    dropPartition(table, "dt=1");
    Map<String, String> left = table.data();
    assertThatThrownBy(() -> table.open().begin(table.request(CommitKind.APPEND, TOKEN)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("1 files of that commit have been deleted without Repave")
        .hasMessageContaining("repave adopt");
    assertThat(table.data()).isEqualTo(left);
  }

  @Test
  void aRepetitionWhoseRowsWereReplacedChangesNothing() throws Exception {
    TestTable table = new TestTable();
    write(table);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    Map<String, String> rows = table.data();
    write(table);
    assertThat(table.data()).isEqualTo(rows);
  }

  /** An append may write to a hidden folder, which no listing of the table shows. */
  @Test
  void aRepeatedAppendToAHiddenFolderChangesNothing() throws Exception {
    TestTable table = new TestTable();
    for (int times = 0; times < 2; times++) {
      table.commit(table.request(CommitKind.APPEND, TOKEN), List.of("_archive/dt=1"));
      assertThat(table.recorded()).containsExactly("_archive/dt=1/commit-000001");
      table.open().adopt();
    }
    assertThat(table.head().version()).isEqualTo(3);
    assertThat(table.data().keySet()).filteredOn(key -> key.contains("part-")).hasSize(1);
    dropPartition(table, "_archive/dt=1");
    table.open().adopt();
    assertThat(table.recorded()).isEmpty();
  }

  @Test
  void aRepetitionIsAllowedWhenTheDeletionIsRecorded() throws Exception {
    TestTable table = new TestTable();
    write(table);
    dropPartition(table, "dt=1");
    table.open().adopt();
    Map<String, String> rows = table.data();
    write(table);
    assertThat(table.data()).isEqualTo(rows);
  }

  /** The look for its rows uses the ledger that the look at its token has read. */
  @Test
  void aRepetitionReadsTheLedgerOfTheEarlierCommitOnce() throws Exception {
    TestTable table = new TestTable();
    write(table);
    Location ledger = table.paths.uploads(table.head().log().get(0).id());
    Queue<Location> reads = new ConcurrentLinkedQueue<>();
    Table watched =
        table.before(
            (call, at) -> {
              if (call == StoreCall.READ && at.equals(ledger)) {
                reads.add(at);
              }
            });
    watched.begin(table.request(CommitKind.APPEND, TOKEN));
    assertThat(reads).containsExactly(ledger);
  }

  /** The older a listing table, the more manifests it has, and no checkpoint has its files. */
  @Test
  void aRepetitionReadsTheManifestsOfCommitsThatMayHaveReplacedItsRows() throws Exception {
    TestTable table = new TestTable();
    for (int version = 0; version < 30; version++) {
      table.commit(CommitKind.DYNAMIC, "dt=1");
    }
    write(table);
    table.commit(CommitKind.DYNAMIC, "dt=2");
    for (int version = 0; version < 30; version++) {
      table.commit(CommitKind.DYNAMIC, "dt=3");
      table.commit(CommitKind.APPEND, "dt=1");
    }
    Queue<Location> manifests = new ConcurrentLinkedQueue<>();
    Table watched =
        table.before(
            (call, at) -> {
              if (call == StoreCall.READ && at.key().contains("/manifest")) {
                manifests.add(at);
              }
            });
    watched.begin(table.request(CommitKind.APPEND, TOKEN));
    assertThat(manifests).as("its own and that of the overwrite of dt=2").hasSize(2);
  }

  /** A program that drops a partition and then writes to it drops the rows of its first try. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aRepetitionIsRefusedWhenItsPartitionWasDropped(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    write(table);
    table.open().drop(List.of("dt=1"), "");
    long dropped = table.head().version();
    Map<String, String> left = table.data();
    assertThatThrownBy(() -> table.open().begin(table.request(CommitKind.APPEND, TOKEN)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("in version " + dropped)
        .hasMessageContaining("a new token");
    assertThat(table.data()).isEqualTo(left);
  }

  @Test
  void aRepetitionIsAllowedWhenOnlyOtherPartitionsWereDropped() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=3");
    write(table);
    table.open().drop(List.of("dt=3"), "");
    Map<String, String> rows = table.data();
    write(table);
    assertThat(table.data()).isEqualTo(rows);
  }

  /** The program ran twice: each time an overwrite without a token and an append with one. */
  @ParameterizedTest
  @EnumSource(
      value = CommitKind.class,
      names = {"DYNAMIC", "STATIC"})
  void aRepetitionIsRefusedAfterAnOverwriteOfItsOwnProgram(CommitKind overwrite) throws Exception {
    TestTable table = new TestTable();
    for (String first : List.of("dt=1", "dt=2")) {
      table.commit(table.request(overwrite, "", "first"), List.of(first));
    }
    table.commit(table.request(CommitKind.APPEND, TOKEN, "first"), List.of("dt=1"));
    table.commit(table.request(overwrite, "", "second"), List.of("dt=1"));
    CommitRequest again = table.request(CommitKind.APPEND, TOKEN, "second");
    assertThatThrownBy(() -> table.open().begin(again))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("without a token");
  }

  /** The writes of a run record no application, because the program may repeat them. */
  @Test
  void aRepetitionInARunIsRefusedAfterAnOverwriteOfItsOwnProgram() throws Exception {
    TestTable table = new TestTable();
    table.commit(table.request(CommitKind.APPEND, TOKEN).by("first"), List.of("dt=1"));
    table.commit(table.request(CommitKind.DYNAMIC, "", "second"), List.of("dt=1"));
    CommitRequest again = table.request(CommitKind.APPEND, TOKEN).by("second");
    assertThatThrownBy(() -> table.open().begin(again))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("without a token");
  }

  /** A late retry of yesterday's job, after today's job has replaced its rows by none. */
  @Test
  void aRepetitionIsAllowedAfterAnEmptyOverwriteOfAnotherProgram() throws Exception {
    TestTable table = new TestTable();
    table.commit(table.request(CommitKind.APPEND, TOKEN, "first"), List.of("dt=1"));
    table.commit(table.request(CommitKind.STATIC, "", "other"), List.of());
    Map<String, String> rows = table.data();
    table.commit(table.request(CommitKind.APPEND, TOKEN, "second"), List.of("dt=1"));
    assertThat(table.data()).isEqualTo(rows);
  }

  @Test
  void aRepetitionIsAllowedAfterAnOverwriteWithATokenOfItsOwn() throws Exception {
    TestTable table = new TestTable();
    table.commit(table.request(CommitKind.APPEND, TOKEN, "first"), List.of("dt=1"));
    table.commit(table.request(CommitKind.DYNAMIC, "other", "second"), List.of("dt=1"));
    Map<String, String> rows = table.data();
    table.commit(table.request(CommitKind.APPEND, TOKEN, "second"), List.of("dt=1"));
    assertThat(table.data()).isEqualTo(rows);
  }

  /** A batch that compacts what it appended has all rows when it is executed again. */
  @Test
  void aRepetitionIsAllowedAfterAnOverwriteOfTheEarlierExecution() throws Exception {
    TestTable table = new TestTable();
    String batch = "program query q batch 5 execution ";
    table.commit(table.request(CommitKind.APPEND, TOKEN, batch + 1), List.of("dt=1"));
    table.commit(table.request(CommitKind.DYNAMIC, "", batch + 1), List.of("dt=1"));
    Map<String, String> rows = table.data();
    table.commit(table.request(CommitKind.APPEND, TOKEN, batch + 2), List.of("dt=1"));
    assertThat(table.data()).isEqualTo(rows);
  }

  /** A stream that starts again repeats its last batch, and not the drop of old partitions. */
  @Test
  void aRepeatedBatchIsAllowedWhenItsPartitionWasDropped() throws Exception {
    TestTable table = new TestTable();
    String batch = " query q batch 5 execution 1";
    table.commit(table.request(CommitKind.APPEND, TOKEN, "first" + batch), List.of("dt=1", "dt=2"));
    table.open().drop(List.of("dt=1"), "");
    Map<String, String> rows = table.data();
    table.commit(
        table.request(CommitKind.APPEND, TOKEN, "second" + batch), List.of("dt=1", "dt=2"));
    assertThat(table.data()).isEqualTo(rows);
  }

  /** The drop of execution 2 has left nothing to drop when the stream is started once more. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void aRepeatedBatchIsRefusedWhenItsPartitionWasDroppedByTheBatch(int execution) throws Exception {
    TestTable table = new TestTable();
    String batch = "program query q batch 5 execution ";
    table.commit(table.request(CommitKind.APPEND, TOKEN, batch + 1), List.of("dt=1"));
    table.open().drop(List.of("dt=1"), batch + 2);
    CommitRequest again = table.request(CommitKind.APPEND, TOKEN, batch + execution);
    assertThatThrownBy(() -> table.open().begin(again))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("without a token");
  }

  /** A thread that a batch starts, as in a Python pool, does not know the batch. */
  @Test
  void aRepetitionInAThreadIsRefusedAfterTheDropOfItsBatch() throws Exception {
    TestTable table = new TestTable();
    table.commit(table.request(CommitKind.APPEND, TOKEN, "first"), List.of("dt=1"));
    table.open().drop(List.of("dt=1"), "second query q batch 5 execution 2");
    for (String program : List.of("second", "third")) {
      CommitRequest again = table.request(CommitKind.APPEND, TOKEN, program);
      assertThatThrownBy(() -> table.open().begin(again))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("without a token");
    }
  }

  /** Another batch of the stream drops old partitions, and nothing repeats that. */
  @Test
  void aRepeatedBatchIsAllowedAfterTheDropOfAnotherBatch() throws Exception {
    TestTable table = new TestTable();
    String query = "program query q batch ";
    table.commit(table.request(CommitKind.APPEND, TOKEN, query + "5 execution 1"), List.of("dt=1"));
    table.open().drop(List.of("dt=1"), query + "6 execution 2");
    Map<String, String> rows = table.data();
    table.commit(table.request(CommitKind.APPEND, TOKEN, query + "5 execution 3"), List.of("dt=1"));
    assertThat(table.data()).isEqualTo(rows);
  }

  /** A batch that first appends and then drops old partitions has lost nothing. */
  @Test
  void aRepeatedBatchIsAllowedAfterTheDropOfTheEarlierExecution() throws Exception {
    TestTable table = new TestTable();
    String batch = "program query q batch 5 execution ";
    table.commit(table.request(CommitKind.APPEND, TOKEN, batch + 1), List.of("dt=1"));
    table.open().drop(List.of("dt=1"), batch + 1);
    Map<String, String> rows = table.data();
    table.commit(table.request(CommitKind.APPEND, TOKEN, batch + 2), List.of("dt=1"));
    assertThat(table.data()).isEqualTo(rows);
  }
}
