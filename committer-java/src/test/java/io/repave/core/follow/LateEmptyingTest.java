package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.Table;
import io.repave.core.engine.Step;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.ListPage;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.testing.DeniedManifests;
import io.repave.testing.InterceptingStore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.SymlinkReplay;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A process sleeps before it empties a symlink manifest of the partition {@code dt=2}. */
class LateEmptyingTest {
  private static TestTable followed() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.open().follow(FollowerKind.SYMLINK);
    return table;
  }

  /** Two processes followed the rollback, so the last manifest of dt=2 is closed. */
  private static TestTable closed() throws Exception {
    TestTable table = followed();
    long first = table.head().version();
    table.commit(CommitKind.DYNAMIC, "dt=2");
    try {
      table.dyingAt(Step.FINISH).rollback(first);
    } catch (ProcessDied died) {
      // recovered below
    }
    table.open().recover();
    assertFollowed(table);
    return table;
  }

  private static void assertFollowed(TestTable table) throws Exception {
    assertThat(SymlinkReplay.live(table.store, table.paths).stream().map(TestTable::writer))
        .containsExactlyInAnyOrderElementsOf(table.recorded());
  }

  /** Keeps back the first write with which a manifest before the last one is emptied. */
  private static final class SleepingEmptying extends InterceptingStore {
    private final TestTable table;
    private final List<Call<?>> kept = new ArrayList<>();

    SleepingEmptying(TestTable table) {
      super(table.store);
      this.table = table;
    }

    @Override
    protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
      if (call == StoreCall.PUT && table.paths.symlinks("dt=2").holds(at)) {
        kept.add(run);
        throw ProcessDied.at("emptying " + at);
      }
      return run.run();
    }

    void wakeUp() throws StoreException {
      assertThat(kept).hasSize(1);
      kept.get(0).run();
    }
  }

  @FunctionalInterface
  private interface Change {
    void run(Table slow) throws Exception;
  }

  /** The process of the change sleeps; others finish its commit, but may not write manifests. */
  private static SleepingEmptying asleep(TestTable table, Change change) throws Exception {
    SleepingEmptying sleeping = new SleepingEmptying(table);
    try {
      change.run(table.through(sleeping));
    } catch (ProcessDied died) {
      // It sleeps.
    }
    table.through(new DeniedManifests(table)).recover();
    assertThat(table.head().active()).isEmpty();
    return sleeping;
  }

  private static void emptyDt2(TestTable table, Table slow) throws Exception {
    table.job(slow, CommitKind.STATIC, "dt=1").commit();
  }

  @Test
  void aLateEmptyingCannotEmptyAListThatARollbackFoundThere() throws Exception {
    TestTable table = closed();
    long restored = table.head().version();
    SleepingEmptying sleeping = asleep(table, slow -> emptyDt2(table, slow));
    table.open().rollback(restored);
    assertFollowed(table);
    sleeping.wakeUp();
    assertFollowed(table);
  }

  /** The list that replaced the late one is emptied before it is. */
  @Test
  void aLateEmptyingCannotEmptyAListWhoseSuccessorWasEmptied() throws Exception {
    TestTable table = followed();
    long first = table.head().version();
    table.commit(CommitKind.DYNAMIC, "dt=2");
    long second = table.head().version();
    SleepingEmptying early = asleep(table, slow -> slow.rollback(first));
    SleepingEmptying late = asleep(table, slow -> emptyDt2(table, slow));
    table.open().rollback(second);
    assertFollowed(table);
    early.wakeUp();
    late.wakeUp();
    assertFollowed(table);
  }

  /** The listing showed the folder of the partition before the file was created. */
  @Test
  void aFileThatAListingMissedIsEmptiedAllTheSame() throws Exception {
    TestTable table = followed();
    long first = table.head().version();
    table.commit(CommitKind.DYNAMIC, "dt=2");
    asleep(table, slow -> slow.rollback(first));
    Missing missing = new Missing(table);
    emptyDt2(table, table.through(missing));
    assertThat(missing.listings).isPositive();
    assertFollowed(table);
  }

  /** Leaves the first manifest of the partition out of the first listing of the manifests. */
  private static final class Missing extends InterceptingStore {
    private final TestTable table;
    private int listings;

    Missing(TestTable table) {
      super(table.store);
      this.table = table;
    }

    @Override
    public ListPage list(Location folder, String after) throws StoreException {
      ListPage page = super.list(folder, after);
      if (!folder.equals(table.paths.pointer(FollowerKind.SYMLINK)) || listings++ > 0) {
        return page;
      }
      String missed = table.paths.symlinks("dt=2").resolve("manifest").key();
      return ListPage.after(
          after,
          page.objects().stream().filter(object -> !object.key().equals(missed)).toList(),
          page.more());
    }
  }

  @Test
  void aRecoveryEmptiesWhatADeadProcessLeftTwice() throws Exception {
    TestTable table = closed();
    SleepingEmptying sleeping = new SleepingEmptying(table);
    try {
      emptyDt2(table, table.through(sleeping));
    } catch (ProcessDied died) {
      // recovered below
    }
    table.open().recover();
    assertFollowed(table);
    sleeping.wakeUp();
    assertFollowed(table);
  }
}
