package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.Step;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileTotals;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.testing.CommitNames;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestTable;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A job whose tasks wrote no file: an empty day, or a filter that kept no row. */
class EmptyCommitTest {
  private TestTable table = new TestTable();

  private void start(Readers readers) throws Exception {
    table = new TestTable(readers);
    table.foreign("dt=1/old.parquet");
    table.commit(CommitKind.APPEND, "dt=1", "dt=10", "dt=2");
  }

  @ParameterizedTest
  @CsvSource({"LISTING, APPEND", "LISTING, DYNAMIC", "SNAPSHOT, APPEND", "SNAPSHOT, DYNAMIC"})
  void anEmptyAppendOrDynamicOverwriteChangesNoRowAndIsAVersion(Readers readers, CommitKind kind)
      throws Exception {
    start(readers);
    Map<String, String> before = table.data();
    List<String> live = table.recorded();
    long version = table.head().version();
    CommitResult result = table.commit(kind);
    before.remove("s3://lake/sales/_SUCCESS");
    assertThat(table.data()).containsAllEntriesOf(before).hasSize(before.size() + 1);
    assertThat(table.recorded()).isEqualTo(live);
    assertThat(result.version()).isEqualTo(version + 1);
    assertThat(result.totals()).isEqualTo(FileTotals.NONE);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anEmptyStaticOverwriteLeavesAnEmptyTable(Readers readers) throws Exception {
    start(readers);
    CommitResult result = table.commit(CommitKind.STATIC);
    assertThat(table.recorded()).isEmpty();
    assertThat(result.totals().filesOut()).isEqualTo(4);
    if (readers == Readers.LISTING) {
      assertThat(table.files()).isEmpty();
    } else {
      assertThat(table.recordedAt(result.version() - 1)).hasSize(4);
    }
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anEmptyStaticOverwriteOfAFolderEmptiesThatFolderAlone(Readers readers) throws Exception {
    start(readers);
    table.commit(
        new CommitRequest(
            CommitNames.id("commit-empty"), CommitKind.STATIC, List.of("dt=1"), "", ""),
        List.of());
    assertThat(table.recorded()).containsExactly("dt=10/commit-000001", "dt=2/commit-000001");
    if (readers == Readers.LISTING) {
      assertThat(table.writers()).containsExactly("dt=10/commit-000001", "dt=2/commit-000001");
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitKind.class,
      mode = Mode.INCLUDE,
      names = {"APPEND", "DYNAMIC", "STATIC"})
  void theFirstCommitOfATableMayBeEmpty(CommitKind kind) throws Exception {
    assertThat(table.commit(kind).version()).isEqualTo(1);
    assertThat(table.recorded()).isEmpty();
    table.commit(CommitKind.APPEND, "dt=1");
    assertThat(table.recorded()).containsExactly("dt=1/commit-000002");
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitKind.class,
      mode = Mode.INCLUDE,
      names = {"APPEND", "DYNAMIC", "STATIC"})
  void anEmptyCommitIsInTheHistoryAndWritesItsSuccessMarker(CommitKind kind) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    byte[] before = table.content(table.paths.root().resolve("_SUCCESS"));
    CommitResult result = table.commit(table.request(kind, "run-1"), List.of());
    assertThat(table.history())
        .last()
        .usingRecursiveComparison()
        .ignoringFields("touched", "publishedMillis")
        .isEqualTo(new LoggedCommit(result.by(), kind, 2, "run-1", List.of()));
    assertThat(table.open().manifest(result.by()).orElseThrow().index().totals().filesIn())
        .isZero();
    assertThat(table.content(table.paths.root().resolve("_SUCCESS"))).isNotEqualTo(before);
    assertThat(table.commit(table.request(kind, "run-1"), List.of()).by()).isEqualTo(result.by());
  }

  /** It replaces no partition, so it overlaps no commit. */
  @Test
  void anEmptyDynamicOverwriteConflictsWithNobody() throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.DYNAMIC));
    table.commit(CommitKind.DYNAMIC, "dt=1");
    job.commit(TestTable.ledger(List.of()));
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
  }

  @Test
  void anEmptyStaticOverwriteThatDiedIsFinishedByRecovery() throws Exception {
    for (Step death : List.of(Step.PLAN, Step.COMPLETE_UPLOADS, Step.PUBLISH, Step.RETIRE)) {
      start(Readers.LISTING);
      WriteTransaction job = table.dyingAt(death).begin(table.request(CommitKind.STATIC));
      Ledger nothing = TestTable.ledger(List.of());
      assertThatThrownBy(() -> job.commit(nothing)).isInstanceOf(ProcessDied.class);
      table.open().recover();
      assertThat(table.files()).as("%s", death).isEmpty();
    }
  }
}
