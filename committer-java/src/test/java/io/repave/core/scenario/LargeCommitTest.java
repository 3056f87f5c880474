package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** Commits whose ledger and manifest are split into several records. */
class LargeCommitTest {
  private static final int FILES = 10_001;
  private static final int OLD = 600;

  private TestTable table = new TestTable();

  private static String[] large() {
    List<String> partitions = new ArrayList<>(Collections.nCopies(FILES - 2, "dt=1"));
    partitions.add("dt=2");
    partitions.add("dt=2");
    return partitions.toArray(String[]::new);
  }

  private CommitId unfinished(Readers readers, Step death) throws Exception {
    table = new TestTable(readers);
    table.commit(table.request(CommitKind.APPEND), Collections.nCopies(OLD, "dt=1"));
    table.commit(CommitKind.APPEND, "dt=2", "dt=3");
    return table.unfinished(death, CommitKind.DYNAMIC, large());
  }

  private void assertCommitted(String why) throws Exception {
    List<String> recorded = table.recorded();
    assertThat(recorded).as(why).hasSize(FILES + 1);
    assertThat(recorded).filteredOn("dt=2/commit-000003"::equals).hasSize(2);
    assertThat(recorded).filteredOn("dt=1/commit-000003"::equals).hasSize(FILES - 2);
    assertThat(recorded).contains("dt=3/commit-000002");
    assertThat(table.head().active()).isEmpty();
    if (table.settings().readersOfNewTable() == Readers.LISTING) {
      assertThat(table.files()).as(why).hasSize(FILES + 1);
      assertThat(table.store.openUploads()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.INCLUDE,
      names = {"PLAN", "PUBLISH", "RETIRE", "FINISH"})
  void aRecoveryFinishesALargeCommitFromItsShards(Step death) throws Exception {
    CommitId id = unfinished(Readers.LISTING, death);
    assertThat(table.store.objects()).containsKey(table.paths.uploadsShard(id, 1));
    table.open().recover();
    assertCommitted(death.name());
    assertThat(table.open().manifest(id).orElseThrow().index().shards()).hasSize(3);
    assertThat(table.open().manifest(id).orElseThrow().index().totals().filesOut())
        .isEqualTo(OLD + 1);
  }

  @Test
  void aRecoveryFinishesALargeCommitOfASnapshotTable() throws Exception {
    unfinished(Readers.SNAPSHOT, Step.PUBLISH);
    table.open().recover();
    assertCommitted("a table of snapshots");
  }

  @Test
  void aRecoveryFinishesWhatDeadRecoveriesLeft() throws Exception {
    unfinished(Readers.LISTING, Step.COMPLETE_UPLOADS);
    dieAt(StoreCall.COMPLETE, FILES / 2);
    assertThat(table.store.openUploads()).hasSize(FILES - FILES / 2 + 1);
    dieAt(StoreCall.DELETE, 2);
    assertThat(table.store.openUploads()).isEmpty();
    table.open().recover();
    assertCommitted("after two recoveries that died");
  }

  /** The index of the manifest is written after the decision. It is larger than the ledger's. */
  @ParameterizedTest
  @ValueSource(ints = {73_749, 80_000})
  void aCommitWhoseRecordsWouldBeTooLargeIsRefusedBeforeItIsDecided(int folders) throws Exception {
    TaskLedger ledger = new TaskLedger();
    CommitRequest request = table.request(CommitKind.APPEND);
    String name = PartFileName.of("", 0, request.commit(), 1, ".parquet");
    for (int i = 0; i < folders; i++) {
      String partition = "p=" + "x".repeat(900) + i;
      ledger.add(new Upload(partition, name, "upload-" + i, 1, 8, List.of("0a")));
    }
    WriteTransaction job = table.open().begin(request);
    assertThatThrownBy(() -> job.commit(TaskLedgers.of(ledger)))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("too many folders for one commit (" + folders + ")");
    assertThat(table.open().head()).isEmpty();
  }

  private void dieAt(StoreCall call, int number) {
    int[] calls = {0};
    Table dying =
        table.before(
            (each, at) -> {
              if (each == call && ++calls[0] == number) {
                throw ProcessDied.at(call);
              }
            });
    assertThatThrownBy(dying::recover).isInstanceOf(ProcessDied.class);
  }

  @Test
  void aMissingOrHostileShardStopsTheRecoveryBeforeAnyDelete() throws Exception {
    CommitId id = unfinished(Readers.LISTING, Step.COMPLETE_UPLOADS);
    String last = table.open().manifest(id).orElseThrow().index().shards().get(1);
    Location plan = table.paths.manifestShard(id, last);
    byte[] planned = table.content(plan);
    table.rewrite(plan, json -> json.replace("\"dt=2\"", "\"dt=3\""));
    assertStopped("does not fit the ledger");
    table.store.put(plan, ByteBuffer.wrap(planned));
    Location ledger = table.paths.uploadsShard(id, 1);
    byte[] recorded = table.content(ledger);
    table.store.delete(List.of(ledger));
    assertStopped("is missing");
    table.store.put(ledger, ByteBuffer.wrap(recorded));
    table.open().recover();
    assertCommitted("with its shards");
  }

  /** A driver reads its shards first when it deletes files; a recovery, for the second time. */
  @ParameterizedTest
  @CsvSource({"s3://other/table, 1", "s3://other/table, 2", "dt=3, 1", "dt=3, 2"})
  void aShardThatIsReplacedBeforeItsFilesAreDeletedIsRefused(String partition, int read)
      throws Exception {
    Location victim = table.paths.file(partition, "victim.parquet");
    table.store.put(victim, ByteBuffer.wrap(new byte[] {1}));
    table.commit(CommitKind.APPEND, "dt=1");
    List<Location> changed = new ArrayList<>();
    Table process = replacingTheLastShard(partition, read, changed);
    if (read == 1) {
      TestJob job = table.job(process, CommitKind.DYNAMIC, large());
      assertThatThrownBy(job::commit)
          .isInstanceOf(CommitStateUnknownException.class)
          .hasStackTraceContaining("which the commit does not replace")
          .hasStackTraceContaining(changed.get(0).toString());
    } else {
      table.unfinished(Step.RETIRE, CommitKind.DYNAMIC, large());
      assertThatThrownBy(process::recover)
          .isInstanceOf(InvalidRecordException.class)
          .hasMessageContaining("which the commit does not replace")
          .hasMessageContaining(changed.get(0).toString());
    }
    assertThat(table.store.objects()).containsKey(victim);
    assertThat(table.head().active())
        .extracting(ActiveCommit::state)
        .containsExactly(CommitState.CLEANING);
  }

  /** Somebody replaces the shard of the removed files before a process reads it that often. */
  private Table replacingTheLastShard(String partition, int read, List<Location> changed) {
    int[] reads = {0};
    String removed = "{\"partition\":\"%s\",\"out\":[{\"name\":\"victim.parquet\",\"bytes\":1}]}";
    return table.before(
        (call, at) -> {
          if (at.name().matches("manifest-.*-00002.json.gz")
              && call == StoreCall.READ
              && ++reads[0] == read) {
            changed.add(at);
            Unchecked.run(
                () ->
                    table.rewrite(
                        at,
                        json ->
                            json.replace(
                                "\"partitions\":[",
                                "\"partitions\":[" + removed.formatted(partition) + ",")));
          }
        });
  }

  /** Recovery cannot finish such a commit, and it has deleted no old file. */
  @Test
  void aPlannedCommitThatLostAShardOfItsManifestIsRevertedOnRequest() throws Exception {
    CommitId id = unfinished(Readers.LISTING, Step.COMPLETE_UPLOADS);
    String last = table.open().manifest(id).orElseThrow().index().shards().get(1);
    table.store.delete(List.of(table.paths.manifestShard(id, last)));
    assertStopped("is missing");
    table.open().cancel(id.id());
    assertThat(table.head().active()).isEmpty();
    assertThat(table.files()).noneMatch(file -> file.contains(id.id()));
    assertThat(table.store.openUploads()).isEmpty();
  }

  /** A cancellation must not begin with the ledger's first shards and stop at a lost one. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aCommitThatLostAShardOfItsLedgerIsCancelled(int shard) throws Exception {
    CommitId id = unfinished(Readers.LISTING, Step.VERIFY);
    table.store.delete(List.of(table.paths.uploadsShard(id, shard)));
    assertThatThrownBy(() -> table.open().recover()).isInstanceOf(InvalidRecordException.class);
    assertThat(table.open().cancel(id.id()).outcome()).isEqualTo(RecoveredCommit.Outcome.REVERTED);
    assertThat(table.files()).hasSize(OLD + 2);
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.head().active()).isEmpty();
  }

  private void assertStopped(String why) {
    Map<String, String> before = table.data();
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining(why);
    before.keySet().removeIf(key -> key.contains(TestTable.id(3)));
    assertThat(table.data()).containsAllEntriesOf(before);
  }
}
