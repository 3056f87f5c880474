package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.HostileJson;
import io.repave.core.record.Readers;
import io.repave.core.record.SampleRecords;
import io.repave.core.store.Location;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A table with a hostile record: no use of the table changes data because of it. */
class HostileRecordsTest {
  private static final int SEEDS = 400;

  private final TestTable table = new TestTable();
  private CommitId unfinished;

  /** A planned commit that replaces dt=1. It has no right to touch dt=9, or another table. */
  @BeforeEach
  void aTableWithAnUnfinishedCommit() throws Exception {
    table.store.put(new Location("other", "table/part-00000-x"), ByteBuffer.wrap(new byte[] {1}));
    unfinished = unfinishedIn(table);
  }

  private static CommitId unfinishedIn(TestTable table) throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1", "dt=9");
    return table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
  }

  /** A recovery refuses the record after this change, and changes nothing. */
  private void assertRefused(Location record, String from, String to) throws Exception {
    table.rewrite(record, json -> json.replace(from, to));
    Map<String, String> before = table.data();
    int uploads = table.store.openUploads().size();
    assertThatThrownBy(() -> table.open().recover()).isInstanceOf(InvalidRecordException.class);
    assertThat(table.data()).isEqualTo(before);
    assertThat(table.store.openUploads()).hasSize(uploads);
  }

  /** What is not live is deleted by the next vacuum. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aManifestThatReplacesAnotherFolderIsRefused(Readers readers) throws Exception {
    TestTable other = new TestTable(readers);
    CommitId id = unfinishedIn(other);
    other.rewrite(
        other.paths.manifest(id), json -> json.replace("[\"dt=1\"]", "[\"dt=1\",\"dt=9\"]"));
    assertThatThrownBy(() -> other.open().recover()).isInstanceOf(InvalidRecordException.class);
    assertThat(other.recorded()).hasSize(2);
  }

  @Test
  void aPublishedManifestOfAnotherKindIsRefused() throws Exception {
    TestTable other = new TestTable(Readers.SNAPSHOT);
    other.commit(CommitKind.APPEND, "dt=1");
    other.commit(CommitKind.DYNAMIC, "dt=2");
    CommitId last = other.head().published(other.head().version()).orElseThrow().id();
    other.rewrite(other.paths.manifest(last), json -> json.replace("dynamic", "rollback"));
    assertThatThrownBy(other::recorded).isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> other.open().vacuum(0)).isInstanceOf(InvalidRecordException.class);
    assertThat(other.writers()).hasSize(2);
  }

  @Test
  void aCommitWithARefusedRecordDoesNotStopTheRecoveryOfOthers() throws Exception {
    CommitId other = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=5");
    table.rewrite(
        table.paths.manifest(unfinished),
        json -> json.replace("\"partition\":\"dt=1\"", "\"partition\":\"dt=9\""));
    assertThatThrownBy(() -> table.open().recover()).isInstanceOf(InvalidRecordException.class);
    Head head = table.head();
    assertThat(head.active()).extracting(ActiveCommit::id).containsExactly(unfinished);
    assertThat(head.logged(other)).isPresent();
  }

  @Test
  void aManifestThatRemovesAnotherPartitionIsRefused() throws Exception {
    assertRefused(
        table.paths.manifest(unfinished), "\"partition\":\"dt=1\"", "\"partition\":\"dt=9\"");
  }

  @Test
  void aManifestThatRemovesFilesOfAnotherBucketIsRefused() throws Exception {
    assertRefused(
        table.paths.manifest(unfinished),
        "\"partition\":\"dt=1\"",
        "\"partition\":\"s3://other/table\"");
  }

  /** In an entry of its own: one with files that the commit adds there would be refused anyway. */
  @ParameterizedTest
  @ValueSource(strings = {"dt=9", "", "s3://other/table"})
  void aManifestThatAlsoRemovesFilesElsewhereIsRefused(String partition) throws Exception {
    assertRefused(
        table.paths.manifest(unfinished),
        "\"partitions\":[",
        "\"partitions\":[" + entry(partition, "out") + ",");
  }

  /** Retire would delete the rows that the commit has just published. */
  @Test
  void aManifestThatRemovesAFileOfItsOwnCommitIsRefused() throws Exception {
    String own = PartFileName.of("", 0, unfinished.id(), 1, ".c000.parquet");
    assertRefused(
        table.paths.manifest(unfinished),
        "\"partitions\":[",
        "\"partitions\":[" + entry("dt=1", "out").replace("victim.parquet", own) + ",");
  }

  @Test
  void aManifestOfAnOverwriteThatAdoptsFilesIsRefused() throws Exception {
    assertRefused(
        table.paths.manifest(unfinished),
        "\"partitions\":[",
        "\"partitions\":[" + entry("dt=1", "adopted") + ",");
  }

  private static String entry(String partition, String change) {
    return "{\"partition\":\"%s\",\"%s\":[{\"name\":\"victim.parquet\",\"bytes\":1}]}"
        .formatted(partition, change);
  }

  @Test
  void anAdoptionOfFilesOutsideTheTableIsRefused() throws Exception {
    table.open().recover();
    table.foreign("dt=3/foreign.parquet");
    assertThatThrownBy(() -> table.dyingAt(Step.PUBLISH).adopt()).isInstanceOf(ProcessDied.class);
    CommitId adoption = table.head().active().get(0).id();
    assertRefused(table.paths.manifest(adoption), "\"dt=3\"", "\"s3://other/table\"");
  }

  @Test
  void aManifestOfAnotherKindThanItsLedgerIsRefused() throws Exception {
    assertRefused(table.paths.manifest(unfinished), "\"kind\":\"dynamic\"", "\"kind\":\"append\"");
  }

  /** Reading it twice would double its files. */
  @Test
  void aManifestThatNamesAShardTwiceIsRefused() throws Exception {
    table.rewrite(
        table.paths.manifest(unfinished),
        json -> json.replace("\"shards\":[]", "\"shards\":[\"m.json.gz\",\"m.json.gz\"]"));
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("'shards'");
  }

  @Test
  void aLedgerWithAFileInAPartitionThatItDoesNotNameIsRefused() throws Exception {
    assertRefused(
        table.paths.uploads(unfinished),
        "\"partitions\":[\"dt=1\"]",
        "\"partitions\":[\"s3://other/x\"]");
  }

  @Test
  void aMarkerThatIsADataFileIsRefused() throws Exception {
    String file = table.files().stream().filter(key -> key.startsWith("dt=9")).findFirst().get();
    assertRefused(
        table.paths.uploads(unfinished), "\"marker\":\"_SUCCESS\"", "\"marker\":\"" + file + "\"");
  }

  @Test
  void aDamagedHeadStopsEveryUseAndChangesNothing() throws Exception {
    byte[] damaged = "{\"format\":1}".getBytes(StandardCharsets.UTF_8);
    table.store.put(table.paths.head(), ByteBuffer.wrap(damaged));
    assertEveryUseIsRefused();
  }

  @Test
  void aHeadOfANewerFormatStopsEveryUseAndChangesNothing() throws Exception {
    table.rewrite(table.paths.head(), json -> json.replace("\"format\":1", "\"format\":3"));
    assertEveryUseIsRefused();
  }

  private void assertEveryUseIsRefused() throws Exception {
    var before = Map.copyOf(table.store.objects());
    Table opened = table.open();
    assertThatThrownBy(opened::recover).isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> opened.begin(table.request(CommitKind.APPEND)))
        .isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(() -> opened.vacuum(0)).isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(opened::adopt).isInstanceOf(InvalidRecordException.class);
    assertThatThrownBy(table::history).isInstanceOf(InvalidRecordException.class);
    assertThat(table.store.objects()).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void noHostileRecordChangesWhatItsCommitDoesNotTouch(Readers readers) throws Exception {
    int refused = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      TestTable other = new TestTable(readers);
      CommitId id = unfinishedIn(other);
      Map<String, String> before = foreign(other);
      Location[] records = {other.paths.manifest(id), other.paths.uploads(id), other.paths.head()};
      Location at = records[random.nextInt(records.length)];
      String hostile = HostileJson.change(SampleRecords.json(other.content(at)), random).toString();
      other.put(at, hostile);
      try {
        other.open().recover();
        other.open().vacuum(0);
      } catch (IOException e) {
        Refusal.requireNoBug(e, "seed " + seed + ": " + hostile);
        refused++;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + hostile, e);
      }
      assertThat(foreign(other)).as("seed %d: %s", seed, hostile).isEqualTo(before);
    }
    System.out.printf(
        "hostile %s tables: seeds 0 to %d, %d refused%n", readers, SEEDS - 1, refused);
    assertThat(refused).isGreaterThan(SEEDS / 10);
  }

  /** The data that the unfinished commit does not touch. */
  private static Map<String, String> foreign(TestTable table) {
    Map<String, String> data = table.data();
    data.keySet().removeIf(key -> key.contains("/dt=1/") || key.endsWith("_SUCCESS"));
    return data;
  }
}
