package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.FileEntry;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.store.Location;
import io.repave.testing.DeltaReplay;
import io.repave.testing.SymlinkReplay;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The files that each version of a table must have, as {@code partition|name without attempt}. */
final class ExpectedVersions {
  private final TestTable table;
  private final TreeMap<Long, Set<String>> versions = new TreeMap<>(Map.of(0L, Set.of()));
  private final Map<Long, Long> times = new TreeMap<>();
  private Set<String> adopted = Set.of();

  ExpectedVersions(TestTable table) {
    this.table = table;
  }

  /** The file that is there before the first version. */
  void adopts(String file) {
    adopted = Set.of(file);
  }

  Set<String> newest() {
    return versions.lastEntry().getValue();
  }

  Set<String> of(long version) {
    return versions.get(version);
  }

  /** The version after {@code before} has these files, unless its commit was reverted. */
  void published(Set<String> files, long before) throws Exception {
    Head head = table.head();
    long base = before;
    if (before == 0) {
      base = 1;
      versions.put(1L, adopted);
      files.addAll(adopted);
    }
    if (head.version() > base) {
      assertThat(head.version()).isEqualTo(base + 1);
      versions.put(head.version(), files);
      times.put(head.version(), head.lastPublishedMillis());
    }
  }

  /** Every readable version has its files, and readers by followers see the newest one. */
  void check() throws Exception {
    Head head = table.head();
    assertThat(head.active()).isEmpty();
    Set<Location> stored = table.store.objects().keySet();
    for (long version = head.oldestVersion(); version <= head.version(); version++) {
      Snapshot snapshot = table.open().snapshot(head, version);
      List<String> found = new ArrayList<>();
      for (String partition : snapshot.partitions()) {
        for (FileEntry file : snapshot.files(partition)) {
          found.add(shown(partition, file.name()));
          assertThat(stored)
              .as("version %d", version)
              .contains(table.paths.file(partition, file.name()));
        }
      }
      assertThat(found)
          .as("version %d of %d", version, head.version())
          .containsExactlyInAnyOrderElementsOf(versions.get(version));
      long published = times.getOrDefault(version, 0L);
      if (version >= head.historyFrom() && published > 0) {
        assertThat(table.open().versionAt(head, published)).isEqualTo(version);
      }
    }
    for (Follower follower : head.followers()) {
      assertThat(follower.next()).as("%s", follower).isEqualTo(head.version() + 1);
      assertThat(read(follower)).as("%s", follower).containsExactlyInAnyOrderElementsOf(newest());
    }
  }

  private List<String> read(Follower follower) {
    if (follower.kind() == FollowerKind.SYMLINK) {
      return SymlinkReplay.live(table.store, table.paths).stream()
          .map(ExpectedVersions::shown)
          .toList();
    }
    for (Location at : table.store.objects().keySet()) {
      if (at.key().endsWith(".checkpoint.parquet")) {
        int version = Integer.parseInt(at.name().substring(0, 20));
        assertThat(DeltaReplay.ofCheckpoint(table.content(at)).live())
            .isEqualTo(DeltaReplay.of(table.store, table.paths, version).live());
      }
    }
    return DeltaReplay.of(table.store, table.paths).live().stream()
        .map(ExpectedVersions::shown)
        .toList();
  }

  private static String shown(String path) {
    int slash = path.lastIndexOf('/');
    return shown(path.substring(0, Math.max(0, slash)), path.substring(slash + 1));
  }

  private static String shown(String partition, String name) {
    int attempt = name.indexOf("-1.c000");
    return partition + "|" + (attempt < 0 ? name : name.substring(0, attempt));
  }
}
