package io.repave.core.guard;

import static io.repave.core.guard.GuardedTable.only;
import static io.repave.core.guard.GuardedTable.shrink;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.DeliveryGuards;
import io.repave.core.engine.Ports;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A guarded job that does what it must not do fails, and changes nothing. */
class GuardCheckTest {
  private GuardedTable table = new GuardedTable(Readers.LISTING);

  private void start(Readers readers) throws Exception {
    table = new GuardedTable(readers);
    table.commit(CommitKind.APPEND, "dt=1:60", "dt=1:40", "dt=2:10");
  }

  /** The job fails with all of these texts, and leaves no trace after its abort. */
  private void fails(TestJob job, String... texts) throws Exception {
    long version = table.open().head().map(head -> head.version()).orElse(0L);
    Map<String, String> before = table.table.data();
    var failure =
        assertThatThrownBy(job::commit)
            .isInstanceOf(CommitFailedException.class)
            .isNotInstanceOf(CommitConflictException.class)
            .hasMessageContaining("Nothing was published, and the table is as it was.");
    for (String text : texts) {
      failure.hasMessageContaining(text);
    }
    assertThat(table.table.data()).isEqualTo(before);
    assertThat(job.abort()).isTrue();
    assertThat(table.table.store.openUploads()).isEmpty();
    assertThat(table.open().head().map(head -> head.version()).orElse(0L)).isEqualTo(version);
    assertThat(table.open().head().map(head -> head.active().size()).orElse(0)).isZero();
    assertThat(table.table.files()).noneMatch(file -> file.contains(job.id().id()));
  }

  @ParameterizedTest
  @CsvSource({"LISTING, APPEND", "LISTING, DYNAMIC", "SNAPSHOT, APPEND", "SNAPSHOT, DYNAMIC"})
  void lateRowsOfAnotherPartitionFailTheJob(Readers readers, CommitKind kind) throws Exception {
    start(readers);
    fails(
        table.job(kind, only("dt=2"), "dt=2:9", "dt=1:2", "dt=1:1"),
        "dt=1 (3 rows written)",
        "It names dt=2.",
        ".option(\"repave.only\", \"\")");
    table.job(kind, only("dt=2", "dt=1"), "dt=2:9", "dt=1:3").commit();
    assertThat(table.table.head().version()).isGreaterThan(1);
  }

  @Test
  void foldersInsideANamedFolderAreAllowedAndSiblingsAreNot() throws Exception {
    table.job(CommitKind.DYNAMIC, only("dt=1"), "dt=1:1", "dt=1/h=2:1").commit();
    fails(table.job(CommitKind.DYNAMIC, only("dt=1"), "dt=10:1"), "dt=10 (1 rows written)");
    fails(table.job(CommitKind.DYNAMIC, only("dt=1/h=2"), "dt=1:1"), "dt=1 (1 rows written)");
    fails(table.job(CommitKind.APPEND, only("dt=1"), ":1"), "the table's own folder");
    fails(
        table.job(CommitKind.APPEND, only("dt=1"), "s3://annex/dt=1:1"),
        "s3://annex/dt=1 (1 rows written)");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aStaticOverwriteAlsoTouchesThePartitionsThatItEmpties(Readers readers) throws Exception {
    start(readers);
    fails(
        table.job(CommitKind.STATIC, only("dt=1"), "dt=1:100"), "dt=2 (replaced, nothing written)");
    table.job(CommitKind.STATIC, only("dt=1", "dt=2"), "dt=1:100").commit();
    assertThat(table.table.recorded()).hasSize(1);
  }

  @Test
  void aStaticOverwriteOfANamedFolderNeedsNoListing() throws Exception {
    start(Readers.LISTING);
    TestJob guarded = table.job(overwriteOf("dt=1", only("dt=1")), "dt=1:1");
    TestJob free = table.job(overwriteOf("dt=2", DeliveryGuards.NONE), "dt=2:1");
    assertThat(table.requests(guarded).get(Request.LIST)).isEqualTo(1);
    assertThat(table.requests(free).get(Request.LIST)).isEqualTo(1);
  }

  private CommitRequest overwriteOf(String folder, DeliveryGuards guards) {
    CommitRequest next = table.table.request(CommitKind.STATIC);
    return new CommitRequest(next.commit(), CommitKind.STATIC, List.of(folder), "", "")
        .guardedBy(guards);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aPartitionMustKeepThePartOfItsRows(Readers readers) throws Exception {
    start(readers);
    fails(
        table.job(CommitKind.DYNAMIC, shrink("0.5"), "dt=1:49", "dt=2:10"),
        "repave.shrink=0.5 allows: dt=1 (100 rows before, 49 after).",
        ".option(\"repave.shrink\", \"0\")");
    table.job(CommitKind.DYNAMIC, shrink("0.5"), "dt=1:25", "dt=1:25").commit();
    table.job(CommitKind.DYNAMIC, DeliveryGuards.NONE, "dt=1:1").commit();
    fails(table.job(CommitKind.DYNAMIC, shrink("1"), "dt=2:9"), "dt=2 (10 rows before, 9 after)");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aNewPartitionHasNoRowsToLose(Readers readers) throws Exception {
    start(readers);
    table.job(CommitKind.DYNAMIC, shrink("1"), "dt=3:0", "dt=4:?").commit();
    table.job(CommitKind.DYNAMIC, shrink("1"), "dt=3:0").commit();
    table.job(CommitKind.APPEND, shrink("1"), "dt=1:1").commit();
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anEmptyDeliveryDoesNotReplaceATable(Readers readers) throws Exception {
    start(readers);
    fails(
        table.job(CommitKind.STATIC, shrink("0.01")),
        "dt=1 (100 rows before, 0 after), dt=2 (10 rows before, 0 after)");
    fails(table.job(CommitKind.STATIC, shrink("0.01"), "dt=1:0", "dt=2:10"), "0 after");
    fails(table.job(overwriteOf("dt=2", shrink("0.01"))), "dt=2 (10 rows before, 0 after)");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anEmptyDynamicOverwriteReplacesNothing(Readers readers) throws Exception {
    start(readers);
    List<String> before = table.table.recorded();
    table.job(CommitKind.DYNAMIC, shrink("1")).commit();
    assertThat(table.table.recorded()).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aStaticOverwriteMustKeepTheRowsOfEveryPartition(Readers readers) throws Exception {
    start(readers);
    fails(
        table.job(CommitKind.STATIC, shrink("0.5"), "dt=1:1000"), "dt=2 (10 rows before, 0 after)");
  }

  @Test
  void bothGuardsAreCheckedInOneScan() throws Exception {
    start(Readers.LISTING);
    DeliveryGuards both = new DeliveryGuards(List.of("dt=1", "dt=2"), BigDecimal.ONE);
    TestJob job = table.job(CommitKind.STATIC, both, "dt=1:100", "dt=2:10");
    assertThat(table.requests(job).get(Request.LIST)).isEqualTo(2);
    DeliveryGuards one = new DeliveryGuards(List.of("dt=1"), BigDecimal.ONE);
    fails(table.job(CommitKind.STATIC, one, "dt=1:1"), "dt=2 (replaced, nothing written)");
  }

  @Test
  void theRowsOfAListingTableComeFromTheManifestsOfItsCommits() throws Exception {
    start(Readers.LISTING);
    TestJob job = table.job(CommitKind.DYNAMIC, shrink("1"), "dt=1:100", "dt=2:10");
    Map<Request, Long> requests = table.requests(job);
    assertThat(requests.get(Request.LIST)).isEqualTo(2);
    // The heads of the begin and of the guard, and the manifest that names the rows.
    assertThat(requests.get(Request.GET)).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void theEndsOfFilesWithoutRecordedRowsAreRead(Readers readers) throws Exception {
    table = new GuardedTable(readers);
    table.foreign("dt=1/stock.parquet", "30");
    table.foreign("dt=1/_metadata", "9999");
    table.commit(CommitKind.APPEND, "dt=1:20?", "dt=2:7?");
    fails(
        table.job(CommitKind.DYNAMIC, shrink("0.5"), "dt=1:24"), "dt=1 (50 rows before, 24 after)");
    table.job(CommitKind.DYNAMIC, shrink("0.5"), "dt=1:25").commit();
    assertThat(table.table.recorded()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"LISTING, 4, 1", "SNAPSHOT, 5, 0"})
  void aGuardCostsTheHeadTheRecordsAndTheEndsOfFiles(Readers readers, long gets, long lists)
      throws Exception {
    Map<Request, Long> free = requestsOfAnOverwrite(readers, DeliveryGuards.NONE);
    Map<Request, Long> guarded = requestsOfAnOverwrite(readers, shrink("0.5"));
    free.merge(Request.GET, gets, Long::sum);
    if (lists > 0) {
      free.merge(Request.LIST, lists, Long::sum);
    }
    assertThat(guarded).isEqualTo(free);
  }

  private Map<Request, Long> requestsOfAnOverwrite(Readers readers, DeliveryGuards guards)
      throws Exception {
    table = new GuardedTable(readers);
    table.foreign("dt=1/stock.parquet", "30");
    table.commit(CommitKind.APPEND, "dt=1:20?", "dt=1:5", "dt=2:7?");
    return table.requests(table.job(CommitKind.DYNAMIC, guards, "dt=1:50"));
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void rowsThatAreNotKnownFailTheJob(Readers readers) throws Exception {
    table = new GuardedTable(readers);
    table.foreign("dt=1/rows.csv", "?");
    table.commit(CommitKind.APPEND, "dt=2:5");
    fails(
        table.job(CommitKind.DYNAMIC, shrink("0.5"), "dt=1:1000"),
        "it is not known how many rows s3://lake/sales/dt=1/rows.csv has, which it would replace",
        ".option(\"repave.shrink\", \"0\")");
    fails(table.job(CommitKind.DYNAMIC, shrink("0.5"), "dt=2:5?"), "has, which it wrote");
  }

  @Test
  void aRepeatedWriteThatChangesNothingDoesNotFail() throws Exception {
    CommitRequest first = table.table.request(CommitKind.DYNAMIC, "run-1").guardedBy(shrink("1"));
    CommitResult done = table.job(first, "dt=1:10").commit();
    table.commit(CommitKind.APPEND, "dt=1:1000");
    CommitRequest again = table.table.request(CommitKind.DYNAMIC, "run-1").guardedBy(shrink("1"));
    assertThat(table.job(again, "dt=1:10").commit().by()).isEqualTo(done.by());
    CommitRequest late = table.table.request(CommitKind.DYNAMIC, "run-1").guardedBy(only("dt=2"));
    assertThat(table.job(late, "dt=1:10").commit().by()).isEqualTo(done.by());
  }

  @Test
  void onlyTheAttemptsThatAreCommittedCount() throws Exception {
    start(Readers.LISTING);
    WriteTransaction job =
        table.open().begin(table.table.request(CommitKind.DYNAMIC).guardedBy(shrink("0.5")));
    List<Upload> committed = table.uploads(job, "dt=1:49");
    List<Upload> lost = table.uploads(job, "dt=1:49", "dt=1:49");
    assertThat(lost).hasSize(2);
    fails(new TestJob(job, TestTable.ledger(committed)), "dt=1 (100 rows before, 49 after)");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void theOldFilesAreThoseAtTheMomentOfTheCheck(Readers readers) throws Exception {
    start(readers);
    table.table.configure(it -> it.conflicts(ConflictPolicy.LAST_WRITER));
    TestJob job = table.job(CommitKind.DYNAMIC, shrink("0.5"), "dt=1:60");
    table.commit(CommitKind.APPEND, "dt=1:100");
    fails(job, "dt=1 (200 rows before, 60 after)");
  }

  @Test
  void aConflictIsReportedBeforeAGuard() throws Exception {
    start(Readers.LISTING);
    TestJob job = table.job(CommitKind.DYNAMIC, shrink("0.5"), "dt=1:1");
    table.commit(CommitKind.APPEND, "dt=1:1");
    assertThatThrownBy(job::commit).isInstanceOf(CommitConflictException.class);
  }

  @Test
  void onlyTheFirstPartitionsAreShownInTheMessage() throws Exception {
    String[] files = new String[25];
    for (int day = 0; day < files.length; day++) {
      files[day] = "dt=%02d:1".formatted(day);
    }
    fails(table.job(CommitKind.APPEND, only("dt=99"), files), "dt=09 (1 rows written) and 15 more");
  }

  @Test
  void aFileThatCannotBeReadFailsTheJobBeforeItsDecision() throws Exception {
    table.foreign("dt=1/stock.parquet", "30");
    Ports denied = table.denying("dt=1/stock.parquet");
    TestJob job = table.job(table.table.open(denied), shrink("0.5"), "dt=1:30");
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("403")
        .hasMessageContaining("Nothing was published.");
    assertThat(job.abort()).isTrue();
    assertThat(table.table.files()).containsExactly("dt=1/stock.parquet");
    assertThat(table.table.store.openUploads()).isEmpty();
  }
}
