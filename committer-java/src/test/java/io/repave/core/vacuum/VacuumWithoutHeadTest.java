package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In a folder without a head, a vacuum touches only uploads that the folder's records explain. */
class VacuumWithoutHeadTest {
  private static final long DAY = 86_400_000;
  private static final String COLD = "s3://cold/sales/dt=9";

  private final TestTable table = new TestTable();

  /** Its uploads are open, and it is decided: aborting one of them would revert it. */
  private CommitId unfinishedOutside() throws Exception {
    table.configure(it -> it.allowed(List.of(new Location("cold", "sales"))));
    table.commit(CommitKind.APPEND, "dt=1", COLD);
    CommitId unfinished = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=1", COLD);
    table.clock.advance(8 * DAY);
    return unfinished;
  }

  private TestTable cold() {
    return new TestTable(table, new Location("cold", "sales"), Readers.LISTING, 90);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anUnfinishedCommitWithAPartitionInTheFolderKeepsItsUploads(boolean isDryRun)
      throws Exception {
    CommitId unfinished = unfinishedOutside();
    assertThatThrownBy(
            () -> {
              if (isDryRun) {
                cold().open().vacuumDryRun(7 * DAY);
              } else {
                cold().open().vacuum(7 * DAY);
              }
            })
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("There is no Repave table in s3://cold/sales")
        .hasMessageContaining("Nothing was deleted");
    List<RecoveredCommit> recovered = table.open().recover();
    assertThat(recovered).hasSize(1);
    assertThat(recovered.get(0).id()).isEqualTo(unfinished);
    assertThat(table.recorded()).contains(COLD + "/commit-000002");
    assertThat(table.data())
        .containsKey(COLD + "/part-00001-" + unfinished.id() + "-1.c000.parquet");
  }

  @Test
  void onlyUploadsOfCommitsInTheFoldersOwnRecordsAreAborted() throws Exception {
    unfinishedOutside();
    TestTable cold = cold();
    CommitId dead = cold.unfinished(Step.RESERVE, CommitKind.APPEND, "dt=9");
    assertThat(table.store.objects()).doesNotContainKey(cold.paths.head());
    assertThat(cold.open().vacuum(7 * DAY).uploads()).as("it is young").isZero();
    cold.clock.advance(8 * DAY);

    assertThat(cold.open().vacuum(7 * DAY).uploads()).isEqualTo(1);
    assertThat(table.store.openUploads())
        .extracting(it -> TestTable.writer(it.at().key()))
        .containsExactlyInAnyOrder("sales/dt=1/commit-000002", "sales/dt=9/commit-000002");
    assertThat(table.store.objects())
        .as("its reservation may still arrive")
        .containsKey(cold.paths.uploads(dead));
    table.open().recover();
    assertThat(table.recorded()).contains(COLD + "/commit-000002");
  }

  /** Its commit is decided, and the head may be restored: without its uploads it is reverted. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTableWhoseHeadWasDeletedKeepsItsUploads(boolean isDryRun) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1", "dt=2");
    byte[] head = table.content(table.paths.head());
    table.store.delete(List.of(table.paths.head()));
    table.clock.advance(8 * DAY);
    var before = Map.copyOf(table.store.objects());
    assertThatThrownBy(
            () -> {
              if (isDryRun) {
                table.open().vacuumDryRun(7 * DAY);
              } else {
                table.open().vacuum(7 * DAY);
              }
            })
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("The head s3://lake/sales/_repave/head.json is missing")
        .hasMessageContaining("Nothing was changed");
    assertThat(table.store.objects()).isEqualTo(before);
    assertThat(table.store.openUploads()).hasSize(2);
    table.store.put(table.paths.head(), ByteBuffer.wrap(head));
    table.open().recover();
    assertThat(table.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000002");
  }

  @Test
  void whatADeadFirstJobLeftIsRemovedOnceTheTableHasAHead() throws Exception {
    table.upload(table.open().begin(table.request(CommitKind.APPEND)), List.of("dt=1", "dt=2"));
    CommitId recorded = table.unfinished(Step.RESERVE, CommitKind.APPEND, "dt=1");
    table.clock.advance(8 * DAY);
    table.commit(CommitKind.APPEND, "dt=1");
    assertThat(table.open().vacuum(7 * DAY).uploads()).isEqualTo(3);
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.store.objects()).doesNotContainKey(table.paths.uploads(recorded));
  }

  /** Engines refuse to write to a folder that is not empty, or skip the write. */
  @Test
  void anOldMessageOfATaskIsDeletedAndNothingIsLeftThen() throws Exception {
    CommitId aborted = table.open().begin(table.request(CommitKind.APPEND)).id();
    Location message = table.paths.commit(aborted).resolve("task-00000-0");
    table.store.put(message, ByteBuffer.wrap(new byte[] {1}));
    assertThat(table.open().vacuum(7 * DAY).records()).as("it is young").isZero();
    table.clock.advance(8 * DAY);
    assertThat(table.open().vacuumDryRun(7 * DAY).records()).isEqualTo(1);
    assertThat(table.open().vacuum(7 * DAY).records()).isEqualTo(1);
    assertThat(table.store.objects()).isEmpty();
  }

  /** A MapReduce job finds its tasks by a listing, so it would commit without this one. */
  @Test
  void theMessagesOfAMapReduceJobThatMayRunStay() throws Exception {
    CommitId running = table.open().begin(table.request(CommitKind.APPEND)).id();
    table.store.put(
        table.paths.commit(running).resolve("task-00000-0"), ByteBuffer.wrap(new byte[] {1}));
    table.store.put(table.paths.jobs().resolve("job_1-0"), ByteBuffer.wrap(new byte[] {1}));
    table.clock.advance(8 * DAY);
    assertThat(table.open().vacuumDryRun(7 * DAY).records()).isZero();
    assertThat(table.open().vacuum(7 * DAY).records()).isZero();
    assertThat(table.store.objects()).hasSize(2);
  }

  @Test
  void anUploadThatATrialOfTheStoreLeftIsRemoved() throws Exception {
    table.unfinished(Step.RESERVE, CommitKind.APPEND, "dt=1");
    table.store.createUpload(table.paths.records().resolve("probe-1-upload"));
    table.clock.advance(8 * DAY);
    assertThat(table.open().vacuum(7 * DAY).uploads()).isEqualTo(2);
    assertThat(table.store.openUploads()).isEmpty();
  }
}
