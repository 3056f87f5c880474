package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A static overwrite is repeated with its token, after the catalog has changed. */
class RepeatedScopeTest {
  private final TestTable table = new TestTable();

  private CommitRequest replacing(String... scope) {
    CommitRequest named = table.request(CommitKind.STATIC);
    return new CommitRequest(
        named.commit(), CommitKind.STATIC, List.of(scope), "daily", "", named.marker());
  }

  /**
   * A static overwrite by name also replaces the partitions that the catalog keeps elsewhere. Spark
   * removes them from the catalog when their rows are gone, so the repetition does not name them.
   */
  @Test
  void aRepeatedOverwriteNeedNotNamePartitionsElsewhere() throws Exception {
    CommitRequest first = replacing("", "old/two", "s3://lake/elsewhere/one");
    table.commit(first, List.of("dt=1"));
    CommitRequest again = replacing("");
    assertThat(table.commit(again, List.of("dt=1")).version()).isEqualTo(1);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  /** The catalog may keep a partition in any folder of the table. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRepeatedOverwriteOfOnePartitionNeedNotNameAFolderElsewhereInTheTable(boolean removed)
      throws Exception {
    CommitRequest more = replacing("dt=1", "cold/one");
    CommitRequest less = replacing("dt=1");
    table.commit(removed ? more : less, List.of("dt=1"));
    assertThat(table.commit(removed ? less : more, List.of("dt=1")).version()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dt=2", "dt=1/hour=1", ""})
  void anOverwriteOfAnotherFolderIsAnotherWriteAlsoBesidePartitionsElsewhere(String folder)
      throws Exception {
    String[] elsewhere = {"cold/one", "s3://lake/elsewhere/one"};
    table.commit(replacing("dt=1", elsewhere[0], elsewhere[1]), List.of("dt=1"));
    CommitRequest other = replacing(folder, elsewhere[0], elsewhere[1]);
    assertThatThrownBy(() -> table.open().begin(other))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("names one write");
  }
}
