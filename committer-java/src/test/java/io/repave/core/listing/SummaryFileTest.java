package io.repave.core.listing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.testing.TestTable;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A commit deletes {@code _metadata} and {@code _common_metadata} with the files they describe. */
class SummaryFileTest {
  private static final List<String> SUMMARIES =
      List.of(
          "_common_metadata",
          "_metadata",
          "dt=1/_common_metadata",
          "dt=1/_metadata",
          "dt=2/_metadata",
          "Zone=1/_metadata");

  private final TestTable table = new TestTable();

  @BeforeEach
  void otherWriters() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    for (String key : SUMMARIES) {
      table.foreign(key);
    }
    for (String key : List.of("_metadata.bak", "_logs/_metadata", "dt=1/.tmp/_metadata")) {
      table.foreign(key);
    }
  }

  /** The summaries that are left. Other files that readers skip are never deleted. */
  private Set<String> left() {
    Set<String> left = new TreeSet<>();
    for (String key : table.data().keySet()) {
      left.add(key.substring("s3://lake/sales/".length()));
    }
    assertThat(left).contains("_metadata.bak", "_logs/_metadata", "dt=1/.tmp/_metadata");
    left.retainAll(SUMMARIES);
    return left;
  }

  private void overwrite(String folder) throws Exception {
    String id = table.request(CommitKind.STATIC).commit();
    table.commit(
        new CommitRequest(id, CommitKind.STATIC, List.of(folder), "", "_SUCCESS"), List.of("dt=1"));
  }

  @Test
  void anOverwriteOfTheTableDeletesAllSummaries() throws Exception {
    table.commit(CommitKind.STATIC, "dt=1");
    assertThat(left()).isEmpty();
  }

  @Test
  void anOverwriteOfAFolderDeletesTheSummariesOfTheFolderAndOfTheRoot() throws Exception {
    overwrite("dt=1");
    assertThat(left()).containsExactlyInAnyOrder("dt=2/_metadata", "Zone=1/_metadata");
  }

  @Test
  void aDynamicOverwriteDeletesTheSummariesOfItsPartitionsAndOfTheRoot() throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(left()).containsExactlyInAnyOrder("dt=2/_metadata", "Zone=1/_metadata");
    assertThat(table.writers()).contains("dt=2/commit-000001").doesNotContain("dt=1/commit-000001");
  }

  @Test
  void summariesOfTheRootAreFoundAfterPartitionsThatSortBeforeThem() throws Exception {
    table.commit(CommitKind.DYNAMIC, "Zone=1");
    assertThat(left()).doesNotContain("_metadata", "_common_metadata", "Zone=1/_metadata");
    assertThat(left()).contains("dt=1/_metadata");
  }

  @Test
  void aCommitThatReplacesNothingKeepsTheSummaries() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=3");
    assertThat(left()).containsExactlyInAnyOrderElementsOf(SUMMARIES);
  }

  @Test
  void summariesAreNotDataFiles() throws Exception {
    table.open().adopt();
    assertThat(table.recorded()).noneMatch(file -> file.contains("metadata"));
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.recorded())
        .containsExactlyInAnyOrder("dt=1/commit-000002", "dt=2/commit-000001");
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"PLAN", "COMPLETE_UPLOADS", "PUBLISH", "RETIRE", "FINISH"})
  void aRecoveryDeletesSummariesToo(Step death) throws Exception {
    table.unfinished(death, CommitKind.DYNAMIC, "dt=1");
    table.open().recover();
    assertThat(left()).containsExactlyInAnyOrder("dt=2/_metadata", "Zone=1/_metadata");
  }

  @Test
  void aManifestThatNamesAnotherFileOfTheRootIsRefused() throws Exception {
    CommitId dead = table.unfinished(Step.RETIRE, CommitKind.DYNAMIC, "dt=1");
    table.foreign("precious");
    table.rewrite(
        table.paths.manifest(dead), json -> json.replace("\"_common_metadata\"", "\"precious\""));
    assertThatThrownBy(() -> table.open().recover()).isInstanceOf(InvalidRecordException.class);
    assertThat(table.files()).contains("precious");
  }

  /** The listing begins in the root, so it also meets the records. */
  @Test
  void recordsThatFillAPageCostOneListing() throws Exception {
    for (int record = 0; record < 2_500; record++) {
      table.foreign("_repave/commits/%06d".formatted(record));
    }
    long before =
        table.counted.counts().get(Request.LIST) == null
            ? 0
            : table.counted.counts().get(Request.LIST);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.counted.counts().get(Request.LIST) - before).isEqualTo(2);
    assertThat(left()).doesNotContain("_metadata", "dt=1/_metadata");
  }

  /** The scan for summary files begins with "_meta", and so does the name of this partition. */
  @Test
  void aPartitionWhoseNameIsLikeASummaryIsNoSummary() throws Exception {
    TestTable named = new TestTable();
    named.commit(CommitKind.APPEND, "_meta_day=1", "_meta_day=2");
    named.foreign("000000_0");
    named.foreign("_meta_day=2/000000_0");
    named.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "_meta_day=1");
    named.open().recover();
    named.commit(CommitKind.DYNAMIC, "_meta_day=1");
    Set<String> keys = new TreeSet<>();
    named.store.objects().keySet().forEach(at -> keys.add(at.key()));
    assertThat(keys).contains("sales/000000_0", "sales/_meta_day=2/000000_0");
    assertThat(named.head().active()).isEmpty();
    assertThat(named.head().version()).isEqualTo(3);
  }
}
