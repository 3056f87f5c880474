package io.repave.core.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitResult;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.testing.CommitNames;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The live files at a version, through checkpoints and manifests. */
class SnapshotTest {
  private final TestTable table = new TestTable(Readers.SNAPSHOT);

  private Snapshot at(long version) throws Exception {
    return table.open().snapshot(table.head(), version);
  }

  @Test
  void everyVersionStaysReadableAcrossManyCheckpoints() throws Exception {
    List<Set<String>> expected = new ArrayList<>(List.of(Set.of(), Set.of()));
    TreeMap<String, String> live = new TreeMap<>();
    for (int job = 1; job <= 90; job++) {
      String partition = "dt=" + job % 7;
      CommitResult result = table.commit(CommitKind.DYNAMIC, partition);
      assertThat(result.version()).isEqualTo(job + 1);
      live.put(partition, CommitNames.word(result.by().id()));
      Set<String> writers = new TreeSet<>();
      live.forEach((folder, commit) -> writers.add(folder + "/" + commit));
      expected.add(writers);
    }
    Head head = table.head();
    assertThat(head.checkpointVersion()).isGreaterThanOrEqualTo(80);
    assertThat(head.log()).hasSizeLessThanOrEqualTo(52);
    for (int version = 1; version < expected.size(); version++) {
      assertThat(table.recordedAt(version))
          .as("version %d", version)
          .containsExactlyElementsOf(expected.get(version));
    }
  }

  @Test
  void theHistoryIsWholeHoweverShortTheHeadsLogIs() throws Exception {
    for (int job = 0; job < 70; job++) {
      table.commit(CommitKind.APPEND, "dt=1");
    }
    assertThat(table.history().stream().map(LoggedCommit::version))
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 71).boxed().toList());
    assertThat(table.head().log()).hasSizeLessThan(71);
  }

  @Test
  void aVersionThatDoesNotExistYetIsRefused() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> at(3)).isInstanceOf(InvalidConfigException.class);
    assertThatThrownBy(() -> at(-1)).isInstanceOf(InvalidConfigException.class);
  }

  @Test
  void aStaticOverwriteLeavesOnlyItsOwnFilesLive() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.commit(CommitKind.STATIC, "dt=3");
    assertThat(table.recordedAt(2)).containsExactly("dt=1/commit-000001", "dt=2/commit-000001");
    assertThat(table.recordedAt(3)).containsExactly("dt=3/commit-000002");
  }

  @Test
  void aPartitionIsNotOneWhoseNameItBegins() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=10");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.recordedAt(3)).containsExactly("dt=1/commit-000002", "dt=10/commit-000001");
  }

  @Test
  void aPartitionLargerThanAShardOfACheckpointIsReadWhole() throws Exception {
    table.commit(table.request(CommitKind.APPEND), Collections.nCopies(10_300, "dt=2"));
    table.commit(CommitKind.APPEND, "dt=1", "dt=3");
    for (int job = 0; job < 25; job++) {
      table.commit(CommitKind.DYNAMIC, "dt=9");
    }
    assertThat(table.head().checkpointVersion()).isEqualTo(25);
    assertThat(at(28).files("dt=2")).hasSize(10_300).doesNotHaveDuplicates();
    table.commit(CommitKind.DYNAMIC, "dt=2");
    for (int job = 0; job < 20; job++) {
      table.commit(CommitKind.DYNAMIC, "dt=9");
    }
    assertThat(table.head().checkpointVersion()).isGreaterThan(29);
    assertThat(table.recordedAt(49)).hasSize(4);
    assertThat(table.recordedAt(28)).hasSize(10_303);
  }

  @Test
  void aCheckpointUsesTheShardsAgainThatNobodyTouched() throws Exception {
    List<String> many = IntStream.range(0, 25_000).mapToObj("p=%05d"::formatted).toList();
    table.commit(table.request(CommitKind.APPEND), many);
    for (int job = 0; job < 19; job++) {
      table.commit(CommitKind.DYNAMIC, "p=00001");
    }
    Set<String> before = shards();
    assertThat(before).as("3 at version 5, and one anew at 10, 15 and 20").hasSize(3 + 3);
    for (int job = 0; job < 20; job++) {
      table.commit(CommitKind.DYNAMIC, "p=00001");
    }
    Set<String> fresh = shards();
    fresh.removeAll(before);
    assertThat(fresh).as("one at each of 25, 30, 35 and 40").hasSize(4);
    assertThat(table.recordedAt(41)).hasSize(25_000);
    assertThat(table.recordedAt(2)).hasSize(25_000);
  }

  private Set<String> shards() {
    Set<String> shards = new TreeSet<>();
    String folder = table.paths.records().resolve("checkpoints").key();
    table.store.objects().keySet().stream()
        .filter(at -> at.key().startsWith(folder) && at.key().matches(".*-\\d{5}\\.json\\.gz"))
        .forEach(at -> shards.add(at.key()));
    return shards;
  }

  @Test
  void aCommitReadsNoMoreOfALongHistoryThanOfAShortOne() throws Exception {
    for (int job = 0; job < 30; job++) {
      table.commit(CommitKind.DYNAMIC, "dt=1");
    }
    long early = gets();
    for (int job = 0; job < 100; job++) {
      table.commit(CommitKind.DYNAMIC, "dt=1");
    }
    assertThat(gets()).isEqualTo(early);
  }

  private long gets() throws Exception {
    while ((table.head().version() - 5) % 20 != 0) {
      table.commit(CommitKind.DYNAMIC, "dt=1");
    }
    long before = table.counted.counts().get(Request.GET);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    return table.counted.counts().get(Request.GET) - before;
  }
}
