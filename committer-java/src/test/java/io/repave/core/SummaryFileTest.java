package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code _metadata} and {@code _common_metadata} go with the files that they describe. */
class SummaryFileTest {
  private static final List<String> SUMMARIES =
      List.of(
          "_common_metadata",
          "_metadata",
          "dt=1/_common_metadata",
          "dt=1/_metadata",
          "dt=2/_metadata",
          "Zone=1/_metadata");

  private final Lake lake = new Lake();

  @BeforeEach
  void otherWriters() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1", "dt=2");
    for (String key : SUMMARIES) {
      lake.foreign(key);
    }
    for (String key : List.of("_metadata.bak", "_logs/_metadata", "dt=1/.tmp/_metadata")) {
      lake.foreign(key);
    }
  }

  /** The summaries that are left; nothing else that readers skip may ever go. */
  private Set<String> left() {
    Set<String> left = new TreeSet<>();
    for (String key : lake.data().keySet()) {
      left.add(key.substring("s3://lake/sales/".length()));
    }
    assertThat(left).contains("_metadata.bak", "_logs/_metadata", "dt=1/.tmp/_metadata");
    left.retainAll(SUMMARIES);
    return left;
  }

  private void overwrite(String folder) throws Exception {
    String id = lake.request(CommitKind.STATIC).commit();
    lake.commit(
        new CommitRequest(id, CommitKind.STATIC, List.of(folder), "", "_SUCCESS"), List.of("dt=1"));
  }

  @Test
  void anOverwriteOfTheTableDeletesAll() throws Exception {
    lake.commit(CommitKind.STATIC, "dt=1");
    assertThat(left()).isEmpty();
  }

  @Test
  void anOverwriteOfAFolderDeletesThoseInItAndInTheRoot() throws Exception {
    overwrite("dt=1");
    assertThat(left()).containsExactlyInAnyOrder("dt=2/_metadata", "Zone=1/_metadata");
  }

  @Test
  void aDynamicOverwriteDeletesThoseOfItsPartitionsAndInTheRoot() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(left()).containsExactlyInAnyOrder("dt=2/_metadata", "Zone=1/_metadata");
    assertThat(lake.writers()).contains("dt=2/commit-000001").doesNotContain("dt=1/commit-000001");
  }

  @Test
  void theRootIsFoundAfterPartitionsThatSortBeforeIt() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "Zone=1");
    assertThat(left()).doesNotContain("_metadata", "_common_metadata", "Zone=1/_metadata");
    assertThat(left()).contains("dt=1/_metadata");
  }

  @Test
  void whatReplacesNothingLeavesThem() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    lake.commit(CommitKind.DYNAMIC, "dt=3");
    assertThat(left()).containsExactlyInAnyOrderElementsOf(SUMMARIES);
  }

  @Test
  void theyAreNoDataFiles() throws Exception {
    lake.table().adopt();
    assertThat(lake.recorded()).noneMatch(file -> file.contains("metadata"));
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(lake.recorded())
        .containsExactlyInAnyOrder("dt=1/commit-000002", "dt=2/commit-000001");
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"PLAN", "COMPLETE_UPLOADS", "PUBLISH", "RETIRE", "FINISH"})
  void aRecoveryDeletesThemToo(Step death) throws Exception {
    lake.unfinished(death, CommitKind.DYNAMIC, "dt=1");
    lake.table().recover();
    assertThat(left()).containsExactlyInAnyOrder("dt=2/_metadata", "Zone=1/_metadata");
  }

  @Test
  void aPlanThatNamesAnotherFileOfTheRootIsRefused() throws Exception {
    CommitId dead = lake.unfinished(Step.RETIRE, CommitKind.DYNAMIC, "dt=1");
    lake.foreign("precious");
    lake.rewrite(
        lake.paths.manifest(dead), json -> json.replace("\"_common_metadata\"", "\"precious\""));
    assertThatThrownBy(() -> lake.table().recover()).isInstanceOf(InvalidRecordException.class);
    assertThat(lake.files()).contains("precious");
  }

  /** The listing begins in the root, among the records. */
  @Test
  void recordsThatFillAPageCostOneListing() throws Exception {
    for (int record = 0; record < 2_500; record++) {
      lake.foreign("_repave/commits/%06d".formatted(record));
    }
    long before =
        lake.counted.counts().get(Request.LIST) == null
            ? 0
            : lake.counted.counts().get(Request.LIST);
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(lake.counted.counts().get(Request.LIST) - before).isEqualTo(2);
    assertThat(left()).doesNotContain("_metadata", "dt=1/_metadata");
  }
}
