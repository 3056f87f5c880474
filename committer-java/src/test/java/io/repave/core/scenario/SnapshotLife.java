package io.repave.core.scenario;

import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;

/** One random life of a snapshot table, checked after each operation. */
final class SnapshotLife implements Lives.Run {
  /** A Delta log wants one column. */
  private static final List<String> OF_ONE_COLUMN =
      List.of(
          "dt=1", "dt=10", "dt=1-a", "dt=%41", "dt=a b", "dt=é", "dt=\uD83D\uDE00", "dt=\uFFFD");

  private final TestTable table = new TestTable(Readers.SNAPSHOT);
  private final Life life;
  private final boolean delta;
  private final boolean follows;
  private final RandomJobs jobs;
  private final ExpectedVersions expected;
  private final ObservedHead observed;
  private final Operators operators;

  SnapshotLife(long seed) {
    life = new Life(seed, table, 3);
    delta = life.random.nextBoolean();
    follows = delta || life.random.nextBoolean();
    jobs = new RandomJobs(life, partitions());
    expected = new ExpectedVersions(table, jobs);
    observed = new ObservedHead(table, expected);
    operators = new Operators(life, jobs, observed);
    life.observer(observed::look);
  }

  /** A table with partitions outside has no followers. */
  private List<String> partitions() {
    List<String> partitions = new ArrayList<>(delta ? OF_ONE_COLUMN : Life.INSIDE);
    if (!follows) {
      partitions.addAll(Life.OUTSIDE);
    }
    return partitions;
  }

  @Override
  public List<String> trace() {
    return life.trace();
  }

  @Override
  public void run() throws Exception {
    table.checkpointEvery(1 + life.random.nextInt(8));
    long retention = life.random.nextInt(8) * Life.DAY;
    table.configure(
        it -> it.historyRetentionMillis(retention).deltaCheckpointEvery(3).allowed(Life.ALLOWED));
    if (life.random.nextBoolean()) {
      table.foreign("dt=1/old.parquet");
      expected.adopts("dt=1|old.parquet");
    }
    for (int i = 10 + life.random.nextInt(50); i > 0; i--) {
      operation();
      operators.rest();
      Head head = observed.now().orElse(null);
      if (head != null) {
        expected.check(head, life.random);
        ExpectedPointers.check(table, head, expected.newest(), List.of());
      }
    }
  }

  private void operation() throws Exception {
    life.sleep(Life.DAY);
    switch (life.random.nextInt(14)) {
      case 0, 1, 2 -> jobs.run(CommitKind.APPEND, this::operation);
      case 3, 4, 5 -> jobs.run(CommitKind.DYNAMIC, this::operation);
      case 6 -> jobs.run(CommitKind.STATIC, this::operation);
      case 7, 8 -> rollback();
      case 9, 10 -> operators.vacuum(this::operation);
      case 11 -> operators.recover(this::operation);
      case 12 -> rare();
      default -> follow();
    }
    if (life.inside()) {
      observed.now().ifPresent(expected::checkDuring);
    }
  }

  private void rollback() throws Exception {
    Head head = observed.now().orElse(null);
    if (head != null && head.version() > 0) {
      long kept = head.version() - head.oldestVersion() + 1;
      long target = head.oldestVersion() + (long) (life.random.nextDouble() * kept);
      String what = "rollback to " + target + " of " + head.version();
      operators.run(what, this::operation, it -> it.rollback(target));
    }
  }

  private void follow() throws Exception {
    FollowerKind kind =
        delta && life.random.nextBoolean() ? FollowerKind.DELTA : FollowerKind.SYMLINK;
    if (follows && life.oneOf(4)) {
      operators.unfollow(kind, this::operation);
    } else if (follows) {
      operators.follow(kind, this::operation);
    }
  }

  private void rare() throws Exception {
    if (life.inside()) {
      operators.cancel(this::operation);
    } else if (life.oneOf(4)) {
      drop();
    }
  }

  /** What a job leaves in a folder whose table is dropped meanwhile, the next table would adopt. */
  private void drop() {
    life.note("drop");
    List<Location> all = new ArrayList<>(table.store.objects().keySet());
    all.removeIf(at -> !table.paths.root().holds(at));
    all.forEach(at -> table.store.delete(List.of(at)));
    jobs.dropped();
    expected.dropped();
    observed.look();
  }
}
