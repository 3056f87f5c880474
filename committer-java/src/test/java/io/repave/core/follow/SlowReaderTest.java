package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.HeldObject;
import io.repave.testing.InterceptingStore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.SymlinkReplay;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

/** Readers list the symlink manifests of a partition, and open later what they found. */
class SlowReaderTest {
  private static final String PARTITION = "dt=2";
  private static final long READ_MILLIS = 2_900;

  /** One reader for each request: it lists before that request. All open before the later ones. */
  private static final class SlowReaders implements InterceptingStore.Hook {
    private record Listed(long millis, List<Location> files) {}

    private final TestTable table;
    private final List<Listed> readers = new ArrayList<>();

    SlowReaders(TestTable table) {
      this.table = table;
      at(StoreCall.LIST, table.paths.symlinks(PARTITION));
    }

    @Override
    public void at(StoreCall call, Location at) {
      SortedMap<Location, HeldObject> now = SymlinkReplay.files(table.store, table.paths);
      Location folder = table.paths.symlinks(PARTITION);
      List<Location> files = now.keySet().stream().filter(folder::holds).toList();
      readers.add(new Listed(table.clock.tickMillis(), files));
      for (Listed reader : readers) {
        if (table.clock.tickMillis() - reader.millis() <= READ_MILLIS) {
          assertThat(reader.files().stream().map(now::get).map(SymlinkReplay::text))
              .as("the files that a reader listed, before %s of %s", call, at)
              .anyMatch(text -> !text.isBlank());
        }
      }
    }
  }

  private static TestTable followed(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1", PARTITION);
    table.open().follow(FollowerKind.SYMLINK);
    return table;
  }

  private static void assertFollowed(TestTable table) throws Exception {
    Map<String, List<String>> lists = SymlinkReplay.byPartition(table.store, table.paths);
    assertThat(lists.values().stream().flatMap(List::stream).map(TestTable::writer))
        .containsExactlyInAnyOrderElementsOf(table.recorded());
  }

  @Test
  void aReaderThatListedBeforeARollbackFindsRows() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    long restored = table.head().version();
    table.commit(CommitKind.DYNAMIC, PARTITION);
    table.before(new SlowReaders(table)).rollback(restored);
    assertFollowed(table);
  }

  @Test
  void aReaderThatListedBeforeAnAdoptionFindsRows() throws Exception {
    TestTable table = followed(Readers.LISTING);
    table.foreign(PARTITION + "/new.parquet");
    table.before(new SlowReaders(table)).adopt();
    assertFollowed(table);
  }

  /** The process that finishes the rollback empties the file, and does not know since when. */
  @Test
  void aReaderThatListedBeforeARollbackThatDiedFindsRows() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    long restored = table.head().version();
    table.commit(CommitKind.DYNAMIC, PARTITION);
    SlowReaders readers = new SlowReaders(table);
    Location next = table.paths.symlinks(PARTITION).resolve("manifest-1");
    try {
      table
          .before(
              (call, at) -> {
                readers.at(call, at);
                if (table.store.objects().containsKey(next)) {
                  throw ProcessDied.at("the pause");
                }
              })
          .rollback(restored);
    } catch (ProcessDied died) {
      assertThat(table.head().active()).hasSize(1);
    }
    table.before(readers).recover();
    assertFollowed(table);
  }

  @Test
  void onlyACommitThatMovesAListWaitsForReaders() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    long restored = table.head().version();
    List<Long> ticks = new ArrayList<>(List.of(table.clock.tickMillis()));
    List<Long> waits = new ArrayList<>();
    table.clock.onAdvance(
        now -> {
          waits.add(now - ticks.get(ticks.size() - 1));
          ticks.add(now);
        });
    for (CommitKind kind : List.of(CommitKind.DYNAMIC, CommitKind.APPEND, CommitKind.STATIC)) {
      table.commit(kind, PARTITION, "dt=3");
    }
    table.commit(CommitKind.STATIC, "dt=4");
    table.commit(CommitKind.APPEND, PARTITION);
    // Only the time between the jobs.
    assertThat(waits).hasSize(5).containsOnly(1_000L);
    table.open().rollback(restored);
    assertThat(waits).contains(3_000L);
  }
}
