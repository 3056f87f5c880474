package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.testing.CommitNames;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which table a written path belongs to, and what a write to one partition of it touches. */
class PartitionPathTest {
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

  private Lake lake = new Lake();

  @ParameterizedTest
  @CsvSource({
    "t/sales, t/sales, ''",
    "t/sales/, t/sales, ''",
    "t/sales/dt=1, t/sales, dt=1",
    "t/sales/dt=1/, t/sales, dt=1",
    "t/sales/dt=1/hour=2, t/sales, dt=1/hour=2",
    "t/sales/dt=, t/sales, dt=",
    "t/sales/dt=a=b, t/sales, dt=a=b",
    "t/x=1/sales, t/x=1/sales, ''",
    "t/x=1/sales/dt=1, t/x=1/sales, dt=1",
    "t/=1, t/=1, ''",
    "dt=1, '', dt=1",
    "dt=1/hour=2, '', dt=1/hour=2",
    "'', '', ''",
  })
  void trailingFoldersThatNameAColumnArePartitions(String written, String root, String partition) {
    TablePaths paths = TablePaths.of(new Location("lake", written));
    assertThat(paths.root()).isEqualTo(new Location("lake", root));
    String folder = written.endsWith("/") ? written.substring(0, written.length() - 1) : written;
    assertThat(paths.partition(new Location("lake", folder))).isEqualTo(partition);
    assertThat(paths.folder(partition)).isEqualTo(new Location("lake", folder));
  }

  /** What Spark does for {@code df.write.mode("overwrite").parquet("…/sales/dt=1")}. */
  private CommitResult overwrite(String partition, String... files) throws Exception {
    String commit = lake.request(CommitKind.STATIC).commit();
    return lake.commit(
        new CommitRequest(
            commit, CommitKind.STATIC, List.of(partition), "", partition + "/_SUCCESS"),
        List.of(files));
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anOverwriteOfOnePartitionsPathTouchesItAlone(Readers readers) throws Exception {
    lake = new Lake(readers);
    lake.commit(CommitKind.APPEND, "dt=1", "dt=1/hour=1", "dt=10", "dt=2", "");
    overwrite("dt=1", "dt=1");
    assertThat(lake.recorded())
        .containsExactlyInAnyOrder(
            "/commit-000001", "dt=1/commit-000002", "dt=10/commit-000001", "dt=2/commit-000001");
    assertThat(lake.writers()).containsAll(lake.recorded());
    assertThat(lake.store.objects()).containsKey(lake.paths.root().resolve("dt=1/_SUCCESS"));
    assertThat(lake.table().head().orElseThrow().readers()).isEqualTo(readers);
  }

  @Test
  void anOverwriteOfOnePartitionsPathIsAVersionOfTheTable() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1", "dt=2");
    assertThat(overwrite("dt=1", "dt=1").version()).isEqualTo(2);
    assertThat(lake.table().history()).hasSize(2);
    assertThat(lake.store.objects().keySet())
        .noneMatch(at -> at.key().startsWith("sales/dt=1/_repave/"));
  }

  @Test
  void anAppendToOnePartitionsPathAddsToIt() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1", "dt=10");
    lake.commit(CommitKind.APPEND, "dt=1");
    assertThat(lake.writers())
        .containsExactly("dt=1/commit-000001", "dt=1/commit-000002", "dt=10/commit-000001");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void oddValuesAreReplacedAndLeftAloneLikeOthers(Readers readers) throws Exception {
    lake = new Lake(readers);
    lake.commit(lake.request(CommitKind.APPEND), ODD);
    for (String replaced : ODD) {
      List<String> expected = new ArrayList<>(lake.recorded());
      CommitResult result = lake.commit(CommitKind.DYNAMIC, replaced);
      expected.removeIf(file -> file.substring(0, file.lastIndexOf('/')).equals(replaced));
      expected.add(replaced + "/" + CommitNames.word(result.by().id()));
      assertThat(lake.recorded()).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(data()).containsAll(expected);
      if (readers == Readers.LISTING) {
        assertThat(data()).containsExactlyInAnyOrderElementsOf(expected);
      }
    }
  }

  /** The lake's own view skips names that begin with an underscore. */
  private List<String> data() {
    List<String> data = new ArrayList<>();
    for (String key : lake.data().keySet()) {
      if (!key.endsWith("_SUCCESS")) {
        data.add(Lake.writer(key.substring("s3://lake/sales/".length())));
      }
    }
    return data;
  }

  @ParameterizedTest
  @ValueSource(strings = {"dt=1/../dt=2", "..", "_repave", "dt=1/_repave", "dt=1//x", "/dt=1", "."})
  void aPartitionThatLeavesTheTableFailsItsJobBeforeAnythingIsPublished(String partition)
      throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> lake.commit(CommitKind.DYNAMIC, partition))
        .isInstanceOf(InvalidRecordException.class);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aTableWithoutPartitionsIsReplacedWhole(Readers readers) throws Exception {
    lake = new Lake(readers);
    lake.foreign("old.parquet");
    lake.commit(CommitKind.APPEND, "", "");
    lake.commit(CommitKind.STATIC, "");
    assertThat(lake.recorded()).containsExactly("/commit-000002");
    lake.commit(CommitKind.APPEND, "");
    lake.commit(CommitKind.DYNAMIC, "");
    assertThat(lake.recorded()).containsExactly("/commit-000004");
  }

  @Test
  void aTableAtTheBucketsRootKeepsItsRecordsAndReplacesItsFiles() throws Exception {
    for (CommitKind kind : List.of(CommitKind.DYNAMIC, CommitKind.STATIC)) {
      lake = new Lake(new Location("lake", ""));
      lake.foreign("dt=1/old.parquet");
      lake.foreign("_other/kept");
      lake.commit(CommitKind.APPEND, "dt=1", "dt=10", "");
      lake.commit(kind, "dt=1", "dt=10", "");
      assertThat(lake.writers())
          .containsExactly("/commit-000002", "dt=1/commit-000002", "dt=10/commit-000002");
      assertThat(lake.store.objects())
          .containsKeys(
              new Location("lake", "_repave/head.json"),
              new Location("lake", "_other/kept"),
              new Location("lake", "_SUCCESS"));
      lake.clock.advance(1_000);
      assertThat(lake.table().vacuum(0).files()).isZero();
      lake.unfinished(Step.VERIFY, kind, "dt=1");
      lake.table().recover();
      assertThat(lake.writers()).contains("dt=1/commit-000003");
    }
  }
}
