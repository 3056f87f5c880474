package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Commits whose ledger and plan stand in several records each. */
class LargeCommitTest {
  private static final int FILES = 10_001;
  private static final int OLD = 600;

  private Lake lake = new Lake();

  private static String[] large() {
    List<String> partitions = new ArrayList<>(Collections.nCopies(FILES - 2, "dt=1"));
    partitions.add("dt=2");
    partitions.add("dt=2");
    return partitions.toArray(String[]::new);
  }

  private CommitId unfinished(Readers readers, Step death) throws Exception {
    lake = new Lake(readers);
    lake.commit(lake.request(CommitKind.APPEND), Collections.nCopies(OLD, "dt=1"));
    lake.commit(CommitKind.APPEND, "dt=2", "dt=3");
    return lake.unfinished(death, CommitKind.DYNAMIC, large());
  }

  private void assertCommitted(String why) throws Exception {
    List<String> recorded = lake.recorded();
    assertThat(recorded).as(why).hasSize(FILES + 1);
    assertThat(recorded).filteredOn("dt=2/commit-000003"::equals).hasSize(2);
    assertThat(recorded).filteredOn("dt=1/commit-000003"::equals).hasSize(FILES - 2);
    assertThat(recorded).contains("dt=3/commit-000002");
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
    if (lake.settings.readers() == Readers.LISTING) {
      assertThat(lake.files()).as(why).hasSize(FILES + 1);
      assertThat(lake.store.openUploads()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.INCLUDE,
      names = {"PLAN", "PUBLISH", "RETIRE", "FINISH"})
  void aRecoveryFinishesItFromItsShards(Step death) throws Exception {
    CommitId id = unfinished(Readers.LISTING, death);
    assertThat(lake.store.objects()).containsKey(lake.paths.uploadsShard(id, 1));
    lake.table().recover();
    assertCommitted(death.name());
    assertThat(lake.table().manifest(id).orElseThrow().index().shards()).hasSize(3);
    assertThat(lake.table().manifest(id).orElseThrow().index().totals().filesOut())
        .isEqualTo(OLD + 1);
  }

  @Test
  void aRecoveryFinishesItOnATableOfSnapshots() throws Exception {
    unfinished(Readers.SNAPSHOT, Step.PUBLISH);
    lake.table().recover();
    assertCommitted("a table of snapshots");
  }

  @Test
  void recoveriesThatDieAmongTheirCompletesAndTheirDeletesAreFinishedByTheNext() throws Exception {
    unfinished(Readers.LISTING, Step.COMPLETE_UPLOADS);
    dieAt("complete", FILES / 2);
    assertThat(lake.store.openUploads()).hasSize(FILES - FILES / 2 + 1);
    dieAt("delete", 2);
    assertThat(lake.store.openUploads()).isEmpty();
    lake.table().recover();
    assertCommitted("after two recoveries that died");
  }

  @Test
  void aCommitWhoseLedgerNobodyCouldReadIsNotDecided() throws Exception {
    TaskLedger ledger = new TaskLedger();
    CommitRequest request = lake.request(CommitKind.APPEND);
    String name = PartFileName.of("", 0, request.commit(), 1, ".parquet");
    for (int i = 0; i < 80_000; i++) {
      String partition = "p=" + "x".repeat(900) + i;
      ledger.add(new Upload(partition, name, "upload-" + i, 1, 8, List.of("0a")));
    }
    WriteTransaction job = lake.table().begin(request);
    assertThatThrownBy(() -> job.commit(new TaskLedgers(List.of(ledger.encode()))))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("too many folders for one commit (80000)");
    assertThat(lake.table().head()).isEmpty();
  }

  private void dieAt(String call, int number) {
    int[] calls = {0};
    Table dying =
        lake.through(
            lake.turning(
                name -> {
                  if (name.equals(call) && ++calls[0] == number) {
                    throw new Lake.Died();
                  }
                }));
    assertThatThrownBy(dying::recover).isInstanceOf(Lake.Died.class);
  }

  @Test
  void aShardThatIsMissingOrHostileStopsTheRecoveryBeforeAnyFileGoes() throws Exception {
    CommitId id = unfinished(Readers.LISTING, Step.COMPLETE_UPLOADS);
    String last = lake.table().manifest(id).orElseThrow().index().shards().get(1);
    Location plan = lake.paths.manifestShard(id, last);
    byte[] planned = lake.content(plan);
    lake.rewrite(plan, json -> json.replace("\"dt=2\"", "\"dt=3\""));
    assertStopped("does not fit the ledger");
    lake.store.put(plan, ByteBuffer.wrap(planned));
    Location ledger = lake.paths.uploadsShard(id, 1);
    byte[] recorded = lake.content(ledger);
    lake.store.delete(List.of(ledger));
    assertStopped("is missing");
    lake.store.put(ledger, ByteBuffer.wrap(recorded));
    lake.table().recover();
    assertCommitted("with its shards");
  }

  private void assertStopped(String why) {
    Map<String, String> before = lake.data();
    assertThatThrownBy(() -> lake.table().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining(why);
    before.keySet().removeIf(key -> key.contains(Lake.id(3)));
    assertThat(lake.data()).containsAllEntriesOf(before);
  }
}
