package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Spark's {@code saveAsTable} with append overwrites the whole folder of a table that it creates. A
 * repetition finds the table and appends to it.
 */
class RepeatedCreationTest {
  private static final int MORE_THAN_THE_LOG_KEEPS = 45;
  private static final String TOKEN = "load/2026-11-28/1";

  private TestTable table = new TestTable();

  private CommitRequest creation(CommitKind kind, String... scope) {
    CommitRequest named = table.request(kind, TOKEN);
    return new CommitRequest(named.commit(), kind, List.of(scope), TOKEN, named.marker());
  }

  private CommitRequest appendByName() {
    return table.request(CommitKind.APPEND, TOKEN).ofCreation();
  }

  private void commitOthers() throws Exception {
    for (int i = 0; i < MORE_THAN_THE_LOG_KEEPS; i++) {
      table.commit(CommitKind.APPEND, "dt=2");
    }
  }

  private void requireRefused() {
    assertThatThrownBy(() -> table.open().begin(appendByName()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("names one write")
        .hasMessageContaining("they would be there twice");
  }

  @ParameterizedTest
  @CsvSource({"STATIC,LISTING", "DYNAMIC,LISTING", "STATIC,SNAPSHOT", "DYNAMIC,SNAPSHOT"})
  void anAppendRepeatsTheWriteThatCreatedItsTable(CommitKind kind, Readers readers)
      throws Exception {
    table = new TestTable(readers);
    String[] scope = kind == CommitKind.STATIC ? new String[] {""} : new String[0];
    CommitResult first = table.commit(creation(kind, scope), List.of("dt=1"));
    List<String> rows = table.recorded();
    CommitResult again = table.commit(appendByName(), List.of("dt=1"));
    assertThat(again.version()).isEqualTo(first.version());
    assertThat(table.recorded()).isEqualTo(rows);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anAppendRepeatsTheCreationAfterAnAdoptionThatTheLogDropped(Readers readers)
      throws Exception {
    table = new TestTable(readers);
    table.checkpointEvery(10);
    table.foreign("dt=0/old.parquet");
    table.open().adopt();
    CommitResult first = table.commit(creation(CommitKind.STATIC, ""), List.of("dt=1"));
    commitOthers();
    assertThat(first.version()).isEqualTo(2);
    assertThat(table.head().published(2)).isEmpty();
    List<String> rows = table.recorded();
    CommitResult again = table.commit(appendByName(), List.of("dt=1"));
    assertThat(again.version()).isEqualTo(2);
    assertThat(table.recorded()).isEqualTo(rows);
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"COMPLETE_UPLOADS", "PUBLISH", "FINISH"})
  void anAppendFinishesTheWriteThatCreatedItsTable(Step death) throws Exception {
    table.unfinished(death, creation(CommitKind.STATIC, ""), "dt=1");
    assertThat(table.commit(appendByName(), List.of("dt=1")).version()).isEqualTo(1);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  @Test
  void anOverwriteOfATableWithRowsIsAnotherWrite() throws Exception {
    table.checkpointEvery(10);
    table.commit(CommitKind.APPEND, "dt=2");
    table.commit(creation(CommitKind.STATIC, ""), List.of("dt=1"));
    requireRefused();

    commitOthers();
    assertThat(table.head().published(1)).isEmpty();
    requireRefused();
  }

  @Test
  void anOverwriteOfOneFolderIsAnotherWrite() throws Exception {
    table.commit(creation(CommitKind.STATIC, "dt=1"), List.of("dt=1"));
    requireRefused();
  }

  @Test
  void anAppendByPathIsAnotherWrite() throws Exception {
    table.commit(creation(CommitKind.STATIC, ""), List.of("dt=1"));
    CommitRequest byPath = table.request(CommitKind.APPEND, TOKEN);
    assertThatThrownBy(() -> table.open().begin(byPath)).hasMessageContaining("names one write");
  }
}
