package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Step;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.SymlinkReplay;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LateEmptyingTest {
  private static List<String> live(TestTable table) {
    return SymlinkReplay.live(table.store, table.paths).stream()
        .map(TestTable::writer)
        .sorted()
        .toList();
  }

  /** Keeps the write with which a list before the last one is emptied. */
  private static final class SleepingEmptying extends InterceptingStore {
    private final TestTable table;
    private final List<Call<?>> kept = new ArrayList<>();

    SleepingEmptying(TestTable table) {
      super(table.store);
      this.table = table;
    }

    @Override
    protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
      boolean written = call == StoreCall.PUT || call == StoreCall.PUT_IF_MATCH;
      if (written && table.paths.symlinks("dt=2").holds(at)) {
        kept.add(run);
        throw ProcessDied.at("emptying " + at);
      }
      return run.run();
    }

    void wakeUp() {
      for (Call<?> call : kept) {
        try {
          call.run();
        } catch (StoreException refused) {
          // As it should be.
        }
      }
    }
  }

  /** Refuses to write manifests. */
  private static final class Denied extends InterceptingStore {
    private final TestTable table;

    Denied(TestTable table) {
      super(table.store);
      this.table = table;
    }

    @Override
    protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
      if (table.paths.pointer(FollowerKind.SYMLINK).holds(at) && call != StoreCall.LIST) {
        throw new StoreException(StoreException.Kind.DENIED, "403");
      }
      return run.run();
    }
  }

  @Test
  void aLateEmptyingCannotEmptyAListThatARollbackFoundThere() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.open().follow(FollowerKind.SYMLINK);
    // Two processes follow one rollback (its driver dies before it finishes): dt=2 is closed.
    long first = table.head().version();
    table.commit(CommitKind.DYNAMIC, "dt=2");
    try {
      table.dyingAt(Step.FINISH).rollback(first);
    } catch (ProcessDied died) {
      // recovered below
    }
    table.open().recover();
    long restored = table.head().version();
    assertThat(live(table)).isEqualTo(table.recorded().stream().sorted().toList());

    // The driver of a commit that empties dt=2 sleeps before its last write.
    SleepingEmptying sleeping = new SleepingEmptying(table);
    try {
      table.job(table.through(sleeping), CommitKind.STATIC, "dt=1").commit();
    } catch (ProcessDied died) {
      // Others finish its commit.
    }
    assertThat(sleeping.kept).hasSize(1);
    table.through(new Denied(table)).recover();
    assertThat(table.head().active()).isEmpty();
    table.open().rollback(restored);
    assertThat(live(table)).isEqualTo(table.recorded().stream().sorted().toList());

    sleeping.wakeUp();
    assertThat(live(table)).isEqualTo(table.recorded().stream().sorted().toList());
  }
}
