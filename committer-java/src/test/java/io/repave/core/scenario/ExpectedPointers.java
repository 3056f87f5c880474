package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.store.Location;
import io.repave.testing.DeltaReplay;
import io.repave.testing.SymlinkReplay;
import io.repave.testing.TestTable;
import java.util.Collection;
import java.util.List;

/** What readers of the followers of a table must see. */
final class ExpectedPointers {
  private ExpectedPointers() {}

  /** Readers by followers see these files, those of the newest version; others may be named. */
  static void check(
      TestTable table, Head head, Collection<String> newest, Collection<String> others) {
    for (Follower follower : head.followers()) {
      if (!follower.ending()) {
        assertThat(follower.next()).as("%s", follower).isEqualTo(head.version() + 1);
        assertThat(read(table, follower))
            .as("%s", follower)
            .filteredOn(it -> !others.contains(it))
            .containsExactlyInAnyOrderElementsOf(
                newest.stream().filter(it -> !others.contains(it)).toList());
      }
    }
  }

  private static List<String> read(TestTable table, Follower follower) {
    if (follower.kind() == FollowerKind.SYMLINK) {
      return SymlinkReplay.live(table.store, table.paths).stream().map(Written::shown).toList();
    }
    for (Location at : table.store.objects().keySet()) {
      if (at.key().endsWith(".checkpoint.parquet")) {
        int version = Integer.parseInt(at.name().substring(0, 20));
        assertThat(DeltaReplay.ofCheckpoint(table.content(at)).live())
            .isEqualTo(DeltaReplay.of(table.store, table.paths, version).live());
      }
    }
    return DeltaReplay.of(table.store, table.paths).live().stream().map(Written::shown).toList();
  }
}
