package io.repave.hadoop.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.record.FileEntry;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class VersionCacheTest {
  private static final long LARGE = 1 << 24;

  private final List<String> loaded = new CopyOnWriteArrayList<>();

  private static TableVersion version(long number) {
    return TableVersion.of(new Location("lake", "sales"), "id", number);
  }

  /** The files of a version with 100 partitions. */
  private Optional<SnapshotFiles> load(Collection<String> folders, long bytesMax) {
    loaded.add(String.join(", ", folders));
    SnapshotFiles files = new SnapshotFiles();
    for (int number = 0; number < 100; number++) {
      String partition = "dt=" + number;
      if (folders.contains("") || folders.contains(partition)) {
        files.add(partition, new FileEntry("file", 1));
      }
      if (files.bytes() > bytesMax) {
        return Optional.empty();
      }
    }
    return Optional.of(files);
  }

  @Test
  void aVersionIsLoadedOnce() throws IOException {
    VersionCache cache = new VersionCache(LARGE);
    for (int i = 0; i < 3; i++) {
      assertThat(cache.all(version(1), this::load).isFolder("dt=7")).isTrue();
      assertThat(cache.in(version(1), "dt=7", this::load).files("dt=7")).hasSize(1);
    }
    cache.all(version(2), this::load);
    assertThat(loaded).containsExactly("", "");
  }

  @Test
  void theSchemaCountsAsMemory() {
    Optional<Schema> schema = Schema.of("x".repeat(10_000));
    FileEntry known = new FileEntry("file", 1, FileFacts.NONE.withSchema(schema));
    SnapshotFiles files = new SnapshotFiles();
    files.add("dt=1", known);
    assertThat(files.schema()).isEqualTo(schema);
    assertThat(files.bytes()).isGreaterThan(10_000);
  }

  @Test
  void versionsOfTablesWithOtherIdsAreOtherVersions() throws IOException {
    VersionCache cache = new VersionCache(LARGE);
    Location folder = new Location("lake", "sales");
    cache.all(TableVersion.of(folder, "id", 1), this::load);
    cache.all(TableVersion.of(folder, "another id", 1), this::load);
    assertThat(loaded).hasSize(2);
  }

  @Test
  void afterAFewFoldersAllOfThemAreLoaded() throws IOException {
    VersionCache cache = new VersionCache(LARGE);
    for (int number = 0; number < 50; number++) {
      String folder = "dt=" + number;
      assertThat(cache.in(version(1), folder, this::load).files(folder)).hasSize(1);
    }
    assertThat(loaded).containsExactly("dt=0", "dt=1", "dt=2", "dt=3", "");
  }

  @Test
  void aFolderInsideALoadedOneIsInMemory() throws IOException {
    VersionCache cache = new VersionCache(LARGE);
    cache.in(version(1), "dt=1", this::load);
    cache.in(version(1), "dt=1/hour=2", this::load);
    assertThat(loaded).containsExactly("dt=1");
    assertThat(cache.find(version(1), "dt=10")).isEmpty();
  }

  @Test
  void theCacheStaysWithinItsBudget() throws IOException {
    long one = load(List.of(""), Long.MAX_VALUE).orElseThrow().bytes();
    VersionCache cache = new VersionCache(3 * one);
    for (int number = 1; number <= 20; number++) {
      cache.all(version(number), this::load);
      assertThat(cache.bytes()).isLessThanOrEqualTo(3 * one);
    }
    assertThat(cache.find(version(20), "")).isPresent();
    assertThat(cache.find(version(17), "")).isEmpty();
  }

  @Test
  void aVersionLargerThanTheBudgetIsNotKeptAndItsFoldersAreLoadedAlone() throws IOException {
    long one = load(List.of(""), Long.MAX_VALUE).orElseThrow().bytes();
    VersionCache cache = new VersionCache(one / 2);
    loaded.clear();
    assertThat(cache.all(version(1), this::load).isFolder("dt=99")).isTrue();
    assertThat(cache.bytes()).isZero();
    for (int number = 0; number < 10; number++) {
      cache.in(version(1), "dt=" + number, this::load);
    }
    assertThat(loaded.stream().filter(String::isEmpty)).as("all, and one attempt").hasSize(2);
    assertThat(cache.bytes()).isPositive().isLessThanOrEqualTo(one / 2);
  }

  @Test
  void severalFoldersOfAVersionLargerThanTheBudgetAreLoadedTogether() throws IOException {
    VersionCache cache =
        new VersionCache(load(List.of(""), Long.MAX_VALUE).orElseThrow().bytes() / 2);
    List<String> wanted = List.of("dt=1", "dt=2", "dt=3", "dt=4", "dt=5", "dt=6");
    loaded.clear();
    for (int query = 0; query < 2; query++) {
      SnapshotFiles found = cache.allOr(version(1), wanted, this::load);
      assertThat(found.below("")).containsOnlyKeys(wanted);
    }
    String together = String.join(", ", wanted);
    assertThat(loaded).as("one attempt, within the budget").containsExactly("", together, together);
  }

  /** The budget is of estimated bytes, so an estimate far below the truth would break it. */
  @Test
  void theEstimateIsNotFarBelowTheMemoryThatFilesTake() {
    Runtime runtime = Runtime.getRuntime();
    System.gc();
    long before = runtime.totalMemory() - runtime.freeMemory();
    SnapshotFiles files = new SnapshotFiles();
    for (int number = 0; number < 100_000; number++) {
      String name = "part-%05d-11111111-1111-4111-8111-111111111111-1.c000.parquet";
      files.add("dt=" + number, new FileEntry(name.formatted(number), 1));
    }
    System.gc();
    long used = runtime.totalMemory() - runtime.freeMemory() - before;
    assertThat(files.bytes()).isBetween(used * 2 / 3, used * 2);
    assertThat(files.isFolder("dt=1")).isTrue();
  }

  @Test
  void threadsThatWantTheSameVersionReadItOnce() throws Exception {
    VersionCache cache = new VersionCache(LARGE);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<SnapshotFiles>> calls = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        calls.add(() -> cache.all(version(1), this::load));
      }
      for (var call : threads.invokeAll(calls)) {
        assertThat(call.get().isFolder("dt=1")).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(loaded).containsExactly("");
  }

  @Test
  void aFailedLoadIsTriedAgain() throws IOException {
    VersionCache cache = new VersionCache(LARGE);
    VersionCache.Loader broken =
        (folder, bytesMax) -> {
          throw new IOException("the store is away");
        };
    assertThatThrownBy(() -> cache.all(version(1), broken)).hasMessage("the store is away");
    assertThat(cache.all(version(1), this::load).isFolder("dt=1")).isTrue();
  }
}
