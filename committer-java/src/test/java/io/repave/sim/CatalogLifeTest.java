package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Step;
import io.repave.core.error.CommitFailedException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.store.Location;
import io.repave.testing.FakeCatalog;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random lives of a table that a catalog follows late, or partly, beside deaths, rollbacks and
 * vacuums. Every file of the versions from the followed one on must exist, and a catalog that was
 * moved must list exactly the files of its version.
 */
class CatalogLifeTest {
  private static final int LIVES = 150;
  private static final int STEPS = 25;
  private static final FollowerKind KIND = FollowerKind.METASTORE;
  private static final List<Step> DEATHS =
      List.of(Step.RESERVE, Step.PLAN, Step.PUBLISH, Step.FOLLOW, Step.FINISH);

  @Test
  void aCatalogThatLagsNamesFilesThatExist() throws Exception {
    for (int seed = 1; seed <= LIVES; seed++) {
      new Life(seed, false).run();
    }
  }

  /** The check is able to fail: a vacuum that ignores the follower is caught. */
  @Test
  void aVacuumThatIgnoresTheCatalogIsCaught() throws Exception {
    int caught = 0;
    for (int seed = 1; seed <= LIVES / 5; seed++) {
      try {
        new Life(seed, true).run();
      } catch (AssertionError violation) {
        caught++;
      }
    }
    assertThat(caught).isPositive();
  }

  private static final class Life {
    private final SplittableRandom random;
    private final boolean ignoring;
    private final int seed;
    private final TestTable table = new TestTable(Readers.SNAPSHOT);
    private final FakeCatalog catalog = new FakeCatalog();
    private long moved;
    private boolean whole;

    Life(int seed, boolean ignoring) {
      this.seed = seed;
      this.ignoring = ignoring;
      random = new SplittableRandom(seed);
      table.checkpointEvery(3);
    }

    void run() throws Exception {
      table.commit(CommitKind.APPEND, "p=1", "p=2");
      table.open().followBy(KIND, "lake.sales");
      moveWhole();
      for (int step = 0; step < STEPS; step++) {
        step();
        check();
      }
      table.open().recover();
      table.commit(CommitKind.STATIC, "p=1");
      moveWhole();
      check();
      assertThat(catalog.files(table)).as("seed %d", seed).isEqualTo(table.recorded());
    }

    private void step() throws Exception {
      switch (random.nextInt(9)) {
        case 0, 1, 2 -> table.commit(CommitKind.DYNAMIC, partitions());
        case 3 -> table.commit(CommitKind.STATIC, partitions());
        case 4 -> append();
        case 5 -> {
          Step death = DEATHS.get(random.nextInt(DEATHS.size()));
          table.unfinished(death, CommitKind.DYNAMIC, partitions());
          table.open().recover();
        }
        case 6 -> rollback();
        case 7 -> move();
        default -> vacuum();
      }
    }

    private String[] partitions() {
      List<String> partitions = new ArrayList<>(List.of("p=1", "p=2", "p=3", "p=4"));
      while (partitions.size() > 1 + random.nextInt(3)) {
        partitions.remove(random.nextInt(partitions.size()));
      }
      return partitions.toArray(String[]::new);
    }

    private void append() throws Exception {
      try {
        table.commit(CommitKind.APPEND, partitions());
      } catch (CommitFailedException hasFiles) {
        assertThat(hasFiles).hasMessageContaining("that have files");
      }
    }

    private void rollback() throws Exception {
      Head head = table.head();
      long first = Math.max(head.oldestVersion(), head.follower(KIND).orElseThrow().from());
      table.open().rollback(first + random.nextLong(head.version() - first + 1));
    }

    private void moveWhole() throws Exception {
      moved = table.open().move(KIND, catalog).version();
      whole = true;
    }

    private void move() throws Exception {
      if (random.nextInt(3) == 0) {
        catalog.dieAfter(random.nextInt(3));
      }
      try {
        moveWhole();
      } catch (IOException died) {
        assertThat(died).hasMessage("the process died");
        whole = false;
      }
      catalog.dieAfter(Integer.MAX_VALUE);
    }

    private void vacuum() throws Exception {
      table.clock.advance(1_000);
      if (ignoring) {
        Head head = table.head();
        String id = head.follower(KIND).orElseThrow().id();
        table.open().moved(KIND, "lake.sales", id, head.version());
      }
      table.open().vacuum(0);
    }

    private void check() throws Exception {
      Head head = table.head();
      long followed = head.follower(KIND).orElseThrow().followed();
      for (long version = Math.max(followed, head.oldestVersion());
          version <= head.version();
          version++) {
        Snapshot snapshot = table.open().snapshot(head, version);
        for (String partition : snapshot.partitions()) {
          snapshot
              .files(partition)
              .forEach(
                  file -> {
                    Location at = table.paths.file(partition, file.name());
                    assertThat(table.store.objects()).as("seed %d", seed).containsKey(at);
                  });
        }
      }
      if (whole) {
        assertThat(head.oldestVersion()).as("seed %d", seed).isLessThanOrEqualTo(moved);
        assertThat(catalog.files(table)).as("seed %d", seed).isEqualTo(table.recordedAt(moved));
      }
    }
  }
}
