package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.conflict.HeadSpace;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CheckpointIndex;
import io.repave.core.record.CheckpointJson;
import io.repave.core.record.CheckpointShard;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Checkpoints of a table that lives long: they stay few and small, and no commit fails without one.
 */
class CheckpointLifecycleTest {
  private TestTable table = new TestTable();

  private CheckpointIndex checkpoint() throws Exception {
    Head head = table.head();
    Location at = table.paths.checkpoint(head.checkpoint());
    return CheckpointJson.readIndex(table.content(at), at.toString());
  }

  private static String partition(int number) {
    return "dt=%05d".formatted(number);
  }

  @Test
  void smallShardsAreMerged() throws Exception {
    table = new TestTable(Readers.SNAPSHOT);
    table.checkpointEvery(2);
    for (int i = 0; i < 200; i++) {
      table.commit(CommitKind.APPEND, partition(i));
    }
    assertThat(checkpoint().shards()).hasSizeLessThan(4);
    for (int i = 0; i < 40; i++) {
      table.commit(CommitKind.DYNAMIC, partition(i * 5));
    }
    assertThat(checkpoint().shards()).hasSizeLessThan(4);
    assertThat(table.recorded()).hasSize(200);
  }

  @Test
  void checkpointsOfAListingTableHaveNoShards() throws Exception {
    table.checkpointEvery(5);
    for (int i = 0; i < 100; i++) {
      table.commit(CommitKind.DYNAMIC, partition(i % 7));
    }
    assertThat(checkpoint().shards()).isEmpty();
    assertThat(table.records("checkpoints/")).isEqualTo(20);
    assertThat(table.recorded()).hasSize(7);
    assertThat(table.history()).hasSize(100);
  }

  @Test
  void aCheckpointOfAListingTableCostsTwoRequests() throws Exception {
    table.checkpointEvery(5);
    for (int i = 0; i < 9; i++) {
      table.commit(CommitKind.APPEND, partition(i));
    }
    Map<Request, Long> before = table.counted.counts();
    table.commit(CommitKind.APPEND, "dt=1");
    Map<Request, Long> after = table.counted.counts();
    assertThat(after.get(Request.GET) - before.get(Request.GET)).isEqualTo(1 + 1);
    assertThat(after.get(Request.PUT) - before.get(Request.PUT)).isEqualTo(7 + 1);
  }

  @Test
  void theChainOfCheckpointsGrowsSlowlyAndKeepsEveryCommit() throws Exception {
    table.checkpointEvery(5);
    for (int i = 0; i < 1_100; i++) {
      table.commit(CommitKind.DYNAMIC, "dt=1");
    }
    int length = 1;
    CheckpointIndex at = checkpoint();
    while (!at.previous().isEmpty()) {
      Location previous = table.paths.checkpoint(at.previous());
      at = CheckpointJson.readIndex(table.content(previous), previous.toString());
      length++;
    }
    assertThat(length).isEqualTo(3);
    assertThat(table.history()).hasSize(1_100);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void oneOfSeveralCommitsThatFinishTogetherWritesTheCheckpoint(Readers readers) throws Exception {
    table = new TestTable(readers);
    table.checkpointEvery(20);
    for (int i = 0; i < 19; i++) {
      table.commit(CommitKind.APPEND, partition(i));
    }
    for (int i = 0; i < 20; i++) {
      table.unfinished(Step.FINISH, CommitKind.APPEND, partition(i));
    }
    long before = checkpoints();
    table.open().recover();
    assertThat(table.head().active()).isEmpty();
    assertThat(checkpoints() - before).isBetween(1L, 2L);
  }

  /** Otherwise all commits of many writers would write a checkpoint that takes long. */
  @Test
  void oneOfFiveCommitsWritesACheckpointThatIsLate() throws Exception {
    table = new TestTable();
    table.checkpointEvery(20);
    Set<String> tried = new TreeSet<>();
    Table unable =
        table.before(
            (call, at) -> {
              if (call == StoreCall.PUT && at.key().contains("/_repave/checkpoints/")) {
                tried.add(at.name().substring(0, at.name().indexOf('-')).replaceFirst("^0+", ""));
                throw new StoreException(StoreException.Kind.DENIED, "403");
              }
            });
    for (int i = 0; i < 80; i++) {
      table.job(unable, CommitKind.APPEND, partition(i)).commit();
    }
    assertThat(tried).containsExactly("20", "40", "60", "65", "70", "75", "80");
  }

  private long checkpoints() {
    return table.store.objects().keySet().stream()
        .filter(at -> at.key().matches(".*checkpoints/\\d{12}-nonce-\\d+\\.json\\.gz"))
        .count();
  }

  @Test
  void readersOfASnapshotTableWithFewFilesReadFewManifests() throws Exception {
    table = new TestTable(Readers.SNAPSHOT);
    table.checkpointEvery(20);
    for (int i = 1; i <= 24; i++) {
      table.commit(CommitKind.APPEND, partition(i));
      long version = table.head().version();
      assertThat(table.head().checkpointVersion()).isEqualTo(version / 5 * 5);
    }
    assertThat(table.history()).hasSize((int) table.head().version());
    assertThat(table.recorded()).hasSize(24);
  }

  @Test
  void aLargeTableIsNotCheckpointedForItsReaders() throws Exception {
    table = new TestTable(Readers.SNAPSHOT);
    table.checkpointEvery(20);
    ByteBuffer file = ByteBuffer.wrap(new byte[1]);
    for (int i = 0; i <= 40_000; i++) {
      Location at = table.paths.root().resolve("dt=0/part-%05d".formatted(i));
      table.store.put(at, file.duplicate());
    }
    table.open().adopt();
    for (int i = 2; i < 25; i++) {
      table.commit(CommitKind.APPEND, partition(i));
      long version = table.head().version();
      assertThat(table.head().checkpointVersion()).isEqualTo(version / 20 * 20);
    }
  }

  /** Otherwise unfinished commits would find no space in the head, and wait for each other. */
  @Test
  void aLongLogHasACheckpointSoonerThanTheSettingSays() throws Exception {
    TestTable table = new TestTable();
    table.checkpointEvery(1_000);
    for (int i = 0; i < 300; i++) {
      table.commit(
          table.request(CommitKind.APPEND, "night/" + "x".repeat(80) + i), List.of("dt=1"));
      assertThat(HeadJson.write(table.head()).length).isLessThan(HeadSpace.BYTES_MAX / 2);
    }
    assertThat(table.history()).hasSize(300);
    assertThat(table.records("checkpoints/")).isLessThan(15);
  }

  @Test
  void aMissingManifestStopsNoCommitOfAListingTable() throws Exception {
    table.checkpointEvery(5);
    CommitId lost = table.commit(CommitKind.APPEND, "dt=1").by();
    table.commit(CommitKind.APPEND, "dt=2");
    table.store.delete(List.of(table.paths.manifest(lost), table.paths.uploads(lost)));
    for (int i = 3; i < 30; i++) {
      table.commit(i % 2 == 0 ? CommitKind.APPEND : CommitKind.DYNAMIC, "dt=" + i);
    }
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.commit(CommitKind.STATIC, "dt=77");
    table.open().vacuum(0);
    assertThat(table.writers()).containsExactly("dt=77/commit-000031");
    assertThat(table.head().active()).isEmpty();
    assertThat(table.history()).hasSize(31);
  }

  @Test
  void aMissingCheckpointStopsNoCommitOfAListingTable() throws Exception {
    table.checkpointEvery(5);
    for (int i = 0; i < 12; i++) {
      table.commit(CommitKind.APPEND, partition(i));
    }
    String name = table.head().checkpoint();
    table.store.delete(List.of(table.paths.checkpoint(name)));
    for (int i = 0; i < 30; i++) {
      table.commit(CommitKind.DYNAMIC, partition(i));
    }
    assertThat(table.files()).hasSize(30);
    assertThat(table.head().active()).isEmpty();
  }

  @Test
  void aMissingManifestOfASnapshotTableLeavesNoCommitUnfinished() throws Exception {
    table = new TestTable(Readers.SNAPSHOT);
    table.checkpointEvery(3);
    CommitId lost = table.commit(CommitKind.APPEND, "dt=1").by();
    table.store.delete(List.of(table.paths.manifest(lost)));
    for (int i = 0; i < 10; i++) {
      table.commit(CommitKind.APPEND, partition(i));
    }
    assertThat(table.head().active()).isEmpty();
    assertThatThrownBy(() -> table.recorded())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("is missing");
  }

  /** Shards as version 0.1 wrote them on a table of many partitions. */
  private void smallUnsortedShards(int count) throws Exception {
    Head head = table.head();
    CheckpointIndex index = checkpoint();
    List<CheckpointShard> shards = new ArrayList<>(index.shards());
    for (int i = 0; shards.size() < count; i++) {
      String partition = "b=%07d".formatted(i);
      String name = "%012d-%032x-00000.json.gz".formatted(i, i);
      shards.add(new CheckpointShard(name, partition, partition, 1, false));
      SortedMap<String, List<FileEntry>> files = new TreeMap<>();
      files.put(partition, List.of(new FileEntry("part-1", 1)));
      byte[] shard = CheckpointJson.writeShard(files);
      table.store.put(table.paths.checkpoint(name), ByteBuffer.wrap(shard));
    }
    byte[] bytes =
        CheckpointJson.writeIndex(
            new CheckpointIndex(
                index.version(),
                index.previous(),
                index.previousVersion(),
                shards,
                index.commits(),
                index.files()));
    table.store.put(table.paths.checkpoint(head.checkpoint()), ByteBuffer.wrap(bytes));
  }

  @Test
  void manySmallShardsOfAnOldTableAreMergedStepByStep() throws Exception {
    table = new TestTable(Readers.SNAPSHOT);
    table.checkpointEvery(1);
    table.commit(CommitKind.APPEND, "a=0");
    smallUnsortedShards(1_000);
    for (int i = 1; i <= 6; i++) {
      table.commit(CommitKind.APPEND, "a=" + i);
    }
    assertThat(checkpoint().shards()).hasSizeLessThan(10);
    assertThat(table.recorded()).hasSize(7 + 999);
  }
}
