package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checkpoints over a long life: they stay few and small, and no commit fails for want of one. */
class CheckpointTest {
  private Lake lake = new Lake();

  private CheckpointIndex checkpoint() throws Exception {
    Head head = lake.table().head().orElseThrow();
    Location at = lake.paths.checkpoint(head.checkpoint());
    return CheckpointJson.readIndex(lake.content(at), at.toString());
  }

  private long records(String folder) {
    return lake.store.objects().keySet().stream()
        .filter(at -> at.key().contains("_repave/" + folder))
        .count();
  }

  private static String partition(int number) {
    return "dt=%05d".formatted(number);
  }

  @Test
  void smallShardsAreMerged() throws Exception {
    lake = new Lake(Readers.SNAPSHOT);
    lake.checkpointEvery(2);
    for (int i = 0; i < 200; i++) {
      lake.commit(CommitKind.APPEND, partition(i));
    }
    assertThat(checkpoint().shards()).hasSizeLessThan(4);
    for (int i = 0; i < 40; i++) {
      lake.commit(CommitKind.DYNAMIC, partition(i * 5));
    }
    assertThat(checkpoint().shards()).hasSizeLessThan(4);
    assertThat(lake.recorded()).hasSize(200);
  }

  @Test
  void aTableThatIsReadByListingWritesNoShards() throws Exception {
    lake.checkpointEvery(5);
    for (int i = 0; i < 100; i++) {
      lake.commit(CommitKind.DYNAMIC, partition(i % 7));
    }
    assertThat(checkpoint().shards()).isEmpty();
    assertThat(records("checkpoints/")).isEqualTo(20);
    assertThat(lake.recorded()).hasSize(7);
    assertThat(lake.table().history()).hasSize(100);
  }

  @Test
  void aTableThatIsReadByListingPaysTwoRequestsForACheckpoint() throws Exception {
    lake.checkpointEvery(5);
    for (int i = 0; i < 9; i++) {
      lake.commit(CommitKind.APPEND, partition(i));
    }
    Map<Request, Long> before = lake.counted.counts();
    lake.commit(CommitKind.APPEND, "dt=1");
    Map<Request, Long> after = lake.counted.counts();
    assertThat(after.get(Request.GET) - before.get(Request.GET)).isEqualTo(1 + 1);
    assertThat(after.get(Request.PUT) - before.get(Request.PUT)).isEqualTo(7 + 1);
  }

  @Test
  void theChainOfCheckpointsGrowsSlowlyAndKeepsEveryCommit() throws Exception {
    lake.checkpointEvery(5);
    for (int i = 0; i < 1_100; i++) {
      lake.commit(CommitKind.DYNAMIC, "dt=1");
    }
    int length = 1;
    CheckpointIndex at = checkpoint();
    while (!at.previous().isEmpty()) {
      Location previous = lake.paths.checkpoint(at.previous());
      at = CheckpointJson.readIndex(lake.content(previous), previous.toString());
      length++;
    }
    assertThat(length).isEqualTo(3);
    assertThat(lake.table().history()).hasSize(1_100);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void ofSeveralCommitsThatFinishTogetherOneWritesTheCheckpoint(Readers readers) throws Exception {
    lake = new Lake(readers);
    lake.checkpointEvery(20);
    for (int i = 0; i < 19; i++) {
      lake.commit(CommitKind.APPEND, partition(i));
    }
    for (int i = 0; i < 20; i++) {
      lake.unfinished(Step.FINISH, CommitKind.APPEND, partition(i));
    }
    lake.table().recover();
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
    long indexes =
        lake.store.objects().keySet().stream()
            .filter(at -> at.key().matches(".*checkpoints/\\d{12}-nonce-\\d+\\.json\\.gz"))
            .count();
    assertThat(indexes).isBetween(1L, 2L);
  }

  @Test
  void aMissingManifestStopsNothingOnATableThatIsReadByListing() throws Exception {
    lake.checkpointEvery(5);
    CommitId lost = lake.commit(CommitKind.APPEND, "dt=1").by();
    lake.commit(CommitKind.APPEND, "dt=2");
    lake.store.delete(List.of(lake.paths.manifest(lost), lake.paths.uploads(lost)));
    for (int i = 3; i < 30; i++) {
      lake.commit(i % 2 == 0 ? CommitKind.APPEND : CommitKind.DYNAMIC, "dt=" + i);
    }
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    lake.commit(CommitKind.STATIC, "dt=77");
    lake.table().vacuum(0);
    assertThat(lake.writers()).containsExactly("dt=77/commit-000031");
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
    assertThat(lake.table().history()).hasSize(31);
  }

  @Test
  void aMissingCheckpointStopsNoCommitOnATableThatIsReadByListing() throws Exception {
    lake.checkpointEvery(5);
    for (int i = 0; i < 12; i++) {
      lake.commit(CommitKind.APPEND, partition(i));
    }
    String name = lake.table().head().orElseThrow().checkpoint();
    lake.store.delete(List.of(lake.paths.checkpoint(name)));
    for (int i = 0; i < 30; i++) {
      lake.commit(CommitKind.DYNAMIC, partition(i));
    }
    assertThat(lake.files()).hasSize(30);
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
  }

  @Test
  void aMissingManifestOfASnapshotTableLeavesNoCommitUnfinished() throws Exception {
    lake = new Lake(Readers.SNAPSHOT);
    lake.checkpointEvery(3);
    CommitId lost = lake.commit(CommitKind.APPEND, "dt=1").by();
    lake.store.delete(List.of(lake.paths.manifest(lost)));
    for (int i = 0; i < 10; i++) {
      lake.commit(CommitKind.APPEND, partition(i));
    }
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
    assertThatThrownBy(() -> lake.recorded())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("is missing");
  }

  /** As version 0.1 left them on a table of many partitions. */
  private void smallUnsortedShards(int count) throws Exception {
    Head head = lake.table().head().orElseThrow();
    CheckpointIndex index = checkpoint();
    List<CheckpointShard> shards = new ArrayList<>(index.shards());
    for (int i = 0; shards.size() < count; i++) {
      String partition = "b=%07d".formatted(i);
      String name = "%012d-%032x-00000.json.gz".formatted(i, i);
      shards.add(new CheckpointShard(name, partition, partition, 1, false));
      SortedMap<String, List<FileEntry>> files = new TreeMap<>();
      files.put(partition, List.of(new FileEntry("part-1", 1)));
      byte[] shard = CheckpointJson.writeShard(files);
      lake.store.put(lake.paths.checkpoint(name), ByteBuffer.wrap(shard));
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
    lake.store.put(lake.paths.checkpoint(head.checkpoint()), ByteBuffer.wrap(bytes));
  }

  @Test
  void theManySmallShardsOfAnOldTableAreMergedAFewHundredAtATime() throws Exception {
    lake = new Lake(Readers.SNAPSHOT);
    lake.checkpointEvery(1);
    lake.commit(CommitKind.APPEND, "a=0");
    smallUnsortedShards(1_000);
    for (int i = 1; i <= 6; i++) {
      lake.commit(CommitKind.APPEND, "a=" + i);
    }
    assertThat(checkpoint().shards()).hasSizeLessThan(10);
    assertThat(lake.recorded()).hasSize(7 + 999);
  }
}
