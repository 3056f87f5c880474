package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.CommitNames;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A job writes to the path of a single partition, or to partitions with odd names. */
class PartitionWriteTest {
  private static final List<String> ODD =
      List.of(
          "dt=",
          "dt=__HIVE_DEFAULT_PARTITION__",
          "dt=2026-11-21 00%3A00%3A00",
          "dt=a=b",
          "_dt=1",
          ".dt=1",
          "dt=..",
          "dt=ü/hour=\uD83D\uDE00",
          "dt=%2F",
          "DT=1");

  private TestTable table = new TestTable();

  /** Spark's {@code df.write.mode("overwrite").parquet("…/sales/dt=1")}. */
  private CommitResult overwrite(String partition, String... files) throws Exception {
    String commit = table.request(CommitKind.STATIC).commit();
    return table.commit(
        new CommitRequest(
            commit, CommitKind.STATIC, List.of(partition), "", partition + "/_SUCCESS"),
        List.of(files));
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anOverwriteOfOnePartitionsPathTouchesItAlone(Readers readers) throws Exception {
    table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1", "dt=1/hour=1", "dt=10", "dt=2", "");
    overwrite("dt=1", "dt=1");
    assertThat(table.recorded())
        .containsExactlyInAnyOrder(
            "/commit-000001", "dt=1/commit-000002", "dt=10/commit-000001", "dt=2/commit-000001");
    assertThat(table.writers()).containsAll(table.recorded());
    assertThat(table.store.objects()).containsKey(table.paths.root().resolve("dt=1/_SUCCESS"));
    assertThat(table.head().readers()).isEqualTo(readers);
  }

  @Test
  void anOverwriteOfOnePartitionsPathIsAVersionOfTheTable() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    assertThat(overwrite("dt=1", "dt=1").version()).isEqualTo(2);
    assertThat(table.history()).hasSize(2);
    assertThat(table.store.objects().keySet())
        .noneMatch(at -> at.key().startsWith("sales/dt=1/_repave/"));
  }

  /** Some settings let Spark take {@code PARTITION (hour = '07')} of a number for a text. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void anOverwriteThatWritesElsewhereIsRefusedBecauseOldRowsWouldStayThere(Readers readers)
      throws Exception {
    table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "hour=7");
    for (String written : List.of("hour=7", "", "hour=070", "s3://cold/hour=07")) {
      assertThatThrownBy(() -> overwrite("hour=07", "hour=07/minute=1", written))
          .isInstanceOf(CommitFailedException.class)
          .hasMessageContaining("overwrites 'hour=07'")
          .hasMessageContaining("wrote to '" + written + "'")
          .hasMessageContaining("Nothing was published");
    }
    assertThat(table.recorded()).containsExactly("hour=7/commit-000001");
    overwrite("hour=7", "hour=7", "hour=7/minute=1");
    assertThat(table.recorded()).hasSize(2);
  }

  @Test
  void anAppendToOnePartitionsPathAddsToIt() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=10");
    table.commit(CommitKind.APPEND, "dt=1");
    assertThat(table.writers())
        .containsExactly("dt=1/commit-000001", "dt=1/commit-000002", "dt=10/commit-000001");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void oddValuesAreReplacedAndLeftAloneLikeOthers(Readers readers) throws Exception {
    table = new TestTable(readers);
    table.commit(table.request(CommitKind.APPEND), ODD);
    for (String replaced : ODD) {
      List<String> expected = new ArrayList<>(table.recorded());
      CommitResult result = table.commit(CommitKind.DYNAMIC, replaced);
      expected.removeIf(file -> file.substring(0, file.lastIndexOf('/')).equals(replaced));
      expected.add(replaced + "/" + CommitNames.word(result.by().id()));
      assertThat(table.recorded()).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(data()).containsAll(expected);
      if (readers == Readers.LISTING) {
        assertThat(data()).containsExactlyInAnyOrderElementsOf(expected);
      }
    }
  }

  /** {@link TestTable#writers} skips names that begin with an underscore. */
  private List<String> data() {
    List<String> data = new ArrayList<>();
    for (String key : table.data().keySet()) {
      if (!key.endsWith("_SUCCESS")) {
        data.add(TestTable.writer(key.substring("s3://lake/sales/".length())));
      }
    }
    return data;
  }

  @ParameterizedTest
  @ValueSource(strings = {"dt=1/../dt=2", "..", "_repave", "dt=1/_repave", "dt=1//x", "/dt=1", "."})
  void aPartitionThatLeavesTheTableFailsItsJobBeforeAnythingIsPublished(String partition)
      throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> table.commit(CommitKind.DYNAMIC, partition))
        .isInstanceOf(InvalidRecordException.class);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(table.head().active()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aTableWithoutPartitionsIsReplacedWhole(Readers readers) throws Exception {
    table = new TestTable(readers);
    table.foreign("old.parquet");
    table.commit(CommitKind.APPEND, "", "");
    table.commit(CommitKind.STATIC, "");
    assertThat(table.recorded()).containsExactly("/commit-000002");
    table.commit(CommitKind.APPEND, "");
    table.commit(CommitKind.DYNAMIC, "");
    assertThat(table.recorded()).containsExactly("/commit-000004");
  }

  @Test
  void aTableAtTheBucketsRootKeepsItsRecordsAndReplacesItsFiles() throws Exception {
    for (CommitKind kind : List.of(CommitKind.DYNAMIC, CommitKind.STATIC)) {
      table = new TestTable(new Location("lake", ""));
      table.foreign("dt=1/old.parquet");
      table.foreign("_other/kept");
      table.commit(CommitKind.APPEND, "dt=1", "dt=10", "");
      table.commit(kind, "dt=1", "dt=10", "");
      assertThat(table.writers())
          .containsExactly("/commit-000002", "dt=1/commit-000002", "dt=10/commit-000002");
      assertThat(table.store.objects())
          .containsKeys(
              new Location("lake", "_repave/head.json"),
              new Location("lake", "_other/kept"),
              new Location("lake", "_SUCCESS"));
      table.clock.advance(1_000);
      assertThat(table.open().vacuum(0).files()).isZero();
      table.unfinished(Step.VERIFY, kind, "dt=1");
      table.open().recover();
      assertThat(table.writers()).contains("dt=1/commit-000003");
    }
  }
}
