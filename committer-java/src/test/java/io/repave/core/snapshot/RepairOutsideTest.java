package io.repave.core.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.FactsReader;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.Schema;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A repair keeps the rows of partitions outside the table's folder, or says what it cannot know.
 */
class RepairOutsideTest {
  private static final String COLD = "s3://cold/sales/dt=9";
  private static final Location COLD_SALES = new Location("cold", "sales");

  private final TestTable table = new TestTable();

  private void lose(Location... records) {
    table.store.delete(List.of(records));
  }

  private void allow(Location... folders) {
    table.configure(it -> it.allowed(List.of(folders)));
  }

  /** A file that a commit which no record of the table names could have written. */
  private static String strange() {
    return PartFileName.of("", 0, TestTable.id(900_000), 1, ".parquet");
  }

  private void put(String bucket, String key) throws Exception {
    table.store.put(new Location(bucket, key), ByteBuffer.wrap(new byte[] {1}));
  }

  @Test
  void aPartitionOutsideStaysInTheRecords() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", COLD, COLD + "/hour=1");
    CommitId lost = table.commit(CommitKind.APPEND, "dt=2").by();
    lose(table.paths.manifest(lost));
    RepairReport repaired = table.open().repair();
    assertThat(repaired.files()).isEqualTo(4);
    assertThat(repaired.searched()).isEmpty();
    assertThat(table.recorded())
        .containsExactly(
            "dt=1/commit-000001",
            "dt=2/commit-000002",
            COLD + "/commit-000001",
            COLD + "/hour=1/commit-000001");
  }

  @Test
  void aDeltaLogDoesNotFollowARepairedTableWithoutItsRowsOutside() throws Exception {
    table.commit(CommitKind.APPEND, "dt=2026-11-21", "s3://cold/sales/dt=2026-11-20");
    CommitId lost = table.commit(CommitKind.APPEND, "dt=2026-11-22").by();
    lose(table.paths.manifest(lost));
    table.open().repair();
    String id = "{\"name\":\"id\",\"type\":\"long\",\"nullable\":false,\"metadata\":{}}";
    FactsReader columns =
        end ->
            FileFacts.NONE.withSchema(Schema.of("{\"type\":\"struct\",\"fields\":[" + id + "]}"));
    assertThatThrownBy(
            () -> table.open(table.process().facts(columns).ports()).follow(FollowerKind.DELTA))
        .hasMessageContaining("s3://cold/sales/dt=2026-11-20");
  }

  /** The ledger names the folders of a commit, and the head's log folders around them. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rowsOutsideOfACommitWithoutItsManifestAreFound(boolean ledgerIsLost) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    CommitId lost = table.commit(CommitKind.DYNAMIC, COLD).by();
    lose(table.paths.manifest(lost));
    if (ledgerIsLost) {
      lose(table.paths.uploads(lost));
    }
    assertThat(table.open().repair().searched()).isEmpty();
    assertThat(table.recorded()).containsExactly("dt=1/commit-000001", COLD + "/commit-000002");
  }

  @Test
  void filesAroundTheFoldersOfALostCommitAreNotTaken() throws Exception {
    List<String> folders = new ArrayList<>();
    for (int hour = 10; hour < 24; hour++) {
      folders.add(COLD + "/hour=" + hour);
    }
    folders.add("s3://cold/sales/x/dt=1");
    CommitId lost = table.commit(CommitKind.APPEND, folders.toArray(String[]::new)).by();
    assertThat(table.head().log().get(0).touched()).doesNotContainAnyElementsOf(folders);
    lose(table.paths.manifest(lost), table.paths.uploads(lost));
    put("cold", "sales/x/dt=2/" + strange());
    table.open().repair();
    assertThat(table.recorded()).hasSize(15).allMatch(it -> it.endsWith("/commit-000001"));
  }

  /** Each file is recorded once, although two lost commits and a known one name its folder. */
  @Test
  void aFileInSeveralNamedFoldersIsRecordedOnce() throws Exception {
    table.commit(CommitKind.APPEND, COLD);
    CommitId lost = table.commit(CommitKind.APPEND, COLD, COLD + "/hour=1").by();
    lose(table.paths.manifest(lost), table.paths.uploads(lost));
    assertThat(table.open().repair().files()).isEqualTo(3);
    assertThat(table.recorded()).hasSize(3);
  }

  @Test
  void filesOutsideThatAreGoneOrOfOtherWritersAreNotRecorded() throws Exception {
    table.commit(CommitKind.APPEND, COLD, "s3://cold/sales/dt=8");
    CommitId lost = table.commit(CommitKind.APPEND, "dt=2").by();
    lose(table.paths.manifest(lost));
    for (Location at : List.copyOf(table.store.objects().keySet())) {
      if (at.key().startsWith("sales/dt=8/")) {
        lose(at);
      }
    }
    put("cold", "sales/dt=9/of-another-writer.parquet");
    table.open().repair();
    assertThat(table.recorded()).containsExactly("dt=2/commit-000002", COLD + "/commit-000001");
  }

  @Test
  void aTableThatWasCreatedAroundAPartitionLaterTakesNoRowsFromTheRecords() throws Exception {
    table.commit(CommitKind.APPEND, COLD);
    CommitId lost = table.commit(CommitKind.APPEND, "dt=2").by();
    lose(table.paths.manifest(lost));
    otherTable("sales");
    table.open().repair();
    assertThat(table.recorded()).containsExactly("dt=2/commit-000002", COLD + "/commit-000001");
  }

  @Test
  void anAbsoluteNameOfAPartitionInsideIsNotListedTwice() throws Exception {
    table.commit(CommitKind.APPEND, "s3://lake/sales/dt=3");
    CommitId lost = table.commit(CommitKind.APPEND, "dt=2").by();
    lose(table.paths.manifest(lost));
    assertThat(table.open().repair().files()).isEqualTo(2);
  }

  /** A repair writes a checkpoint with files; the next one finds the partitions there. */
  @Test
  void aCheckpointNamesPartitionsOutside() throws Exception {
    aPartitionOutsideStaysInTheRecords();
    CommitId lost = table.commit(CommitKind.APPEND, "dt=3").by();
    lose(table.paths.manifest(lost));
    table.open().repair();
    assertThat(table.recorded()).contains(COLD + "/commit-000001").hasSize(5);
  }

  @Test
  void aRepairWithoutTheCheckpointsFilesAsksForTheFoldersOutside() throws Exception {
    loseTheCheckpointsFiles();
    assertThatThrownBy(() -> table.open().repair())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.locations.allowed");
    allow(COLD_SALES);
    assertThat(table.open().repair().searched()).containsExactly("s3://cold/sales");
    assertThat(table.recorded()).contains(COLD + "/commit-000001").hasSize(4);
  }

  @Test
  void aRepairOfALostHistoryAsksForTheFoldersOutside() throws Exception {
    table.checkpointEvery(5);
    table.commit(CommitKind.APPEND, "dt=1", COLD);
    for (int i = 0; i < 60; i++) {
      table.commit(CommitKind.DYNAMIC, "dt=" + i % 3);
    }
    lose(table.paths.checkpoint(table.head().checkpoint()));
    var before = List.copyOf(table.store.objects().keySet());
    assertThatThrownBy(() -> table.open().repair())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("no other record says in which folders outside the table")
        .hasMessageContaining("repave.locations.allowed");
    assertThat(table.store.objects().keySet()).containsExactlyElementsOf(before);
    put("cold", "sales/dt=9/of-another-writer.parquet");
    otherTable("sales/other");
    allow(COLD_SALES, new Location("lake", "sales"));
    RepairReport repaired = table.open().repair();
    assertThat(repaired.searched()).containsExactly("s3://cold/sales");
    assertThat(repaired.files()).isEqualTo(4);
    assertThat(table.recorded()).contains(COLD + "/commit-000001").hasSize(4);
  }

  private void loseTheCheckpointsFiles() throws Exception {
    aPartitionOutsideStaysInTheRecords();
    String shard = table.head().checkpoint().replace(".json.gz", "-00000.json.gz");
    lose(table.paths.checkpoint(shard));
  }

  /** A setting for the whole cluster may allow a folder in which several tables have partitions. */
  @Test
  void filesOfOtherTablesInAnAllowedFolderAreNotRecorded() throws Exception {
    loseTheCheckpointsFiles();
    TestTable orders = new TestTable(table, new Location("lake", "orders"), Readers.LISTING, 500);
    orders.commit(CommitKind.APPEND, "s3://cold/orders/dt=1");
    byte[] before = table.content(table.paths.head());
    allow(new Location("cold", ""));
    assertThatThrownBy(() -> table.open().repair())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("in folders such as s3://cold/orders/dt=1.")
        .hasMessageContaining("Nothing was changed")
        .hasMessageContaining("to each folder outside the table that is a partition of it");
    assertThat(table.content(table.paths.head())).isEqualTo(before);
    allow(COLD_SALES);
    table.open().repair();
    assertThat(table.recorded()).contains(COLD + "/commit-000001").hasSize(4);
  }

  /** The records of its commit may have been removed by a vacuum that ended the history. */
  @Test
  void aFileOfAnUnknownCommitIsRecordedWhereItsOwnFolderIsAllowed() throws Exception {
    loseTheCheckpointsFiles();
    for (int other = 10; other < 30; other++) {
      put("cold", "sales/dt=" + other + "/" + strange());
    }
    allow(COLD_SALES);
    assertThatThrownBy(() -> table.open().repair())
        .hasMessageContaining("s3://cold/sales/dt=10, s3://cold/sales/dt=11,")
        .hasMessageNotContaining("dt=20");
    allow(new Location("cold", "sales/dt=9"), new Location("cold", "sales/dt=10"));
    table.open().repair();
    assertThat(table.recorded())
        .contains(COLD + "/commit-000001", "s3://cold/sales/dt=10/commit-900000")
        .hasSize(5);
  }

  /** Another table, with one file. */
  private void otherTable(String key) throws Exception {
    Location root = new Location("cold", key);
    new TestTable(table, root, Readers.LISTING, 500).commit(CommitKind.APPEND, "dt=1");
  }

  /** The commits of version 0.1 say in no log what they touched. */
  private CommitId unknownCommit() throws Exception {
    CommitId lost = table.commit(CommitKind.APPEND, COLD).by();
    table.rewrite(table.paths.head(), json -> json.replace(",\"touched\":[\"" + COLD + "\"]", ""));
    lose(table.paths.manifest(lost));
    return lost;
  }

  @Test
  void aLedgerAloneNamesPartitionsOutside() throws Exception {
    unknownCommit();
    assertThat(table.open().repair().searched()).isEmpty();
    assertThat(table.recorded()).containsExactly(COLD + "/commit-000001");
  }

  @Test
  void aCommitThatNoRecordDescribesIsLookedForWhereItIsAllowed() throws Exception {
    lose(table.paths.uploads(unknownCommit()));
    assertThatThrownBy(() -> table.open().repair())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.locations.allowed");
    // No record can name a partition that is a whole bucket.
    put("cold", strange());
    allow(new Location("cold", ""));
    assertThat(table.open().repair().searched()).containsExactly("s3://cold/");
    assertThat(table.recorded()).containsExactly(COLD + "/commit-000001");
  }

  @Test
  void anAllowedFolderMayContainTheTable() throws Exception {
    table.commit(CommitKind.APPEND, "s3://lake/archive/dt=8");
    CommitId lost = unknownCommitInside();
    lose(table.paths.uploads(lost));
    otherTable("sales");
    allow(new Location("lake", ""), COLD_SALES);
    assertThat(table.open().repair().files()).isEqualTo(2);
    assertThat(table.recorded())
        .containsExactly("dt=2/commit-000002", "s3://lake/archive/dt=8/commit-000001");
  }

  private CommitId unknownCommitInside() throws Exception {
    CommitId lost = table.commit(CommitKind.APPEND, "dt=2").by();
    table.rewrite(table.paths.head(), json -> json.replace(",\"touched\":[\"dt=2\"]", ""));
    lose(table.paths.manifest(lost));
    return lost;
  }

  @Test
  void theNumberOfPartitionsOutsideIsBounded() throws Exception {
    TableContext context = table.context();
    OutsidePartitions few = new OutsidePartitions(context, 2);
    few.add("dt=1");
    few.add("s3://cold/a");
    few.add("s3://cold/b");
    few.add("s3://cold/b");
    assertThat(few.outermost()).containsExactly("s3://cold/a", "s3://cold/b");
    assertThatThrownBy(() -> few.add("s3://cold/c"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("more than 2 partitions outside");
  }
}
