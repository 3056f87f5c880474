package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.record.CommitKind;
import io.repave.core.store.ParallelRunner;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.util.Iterator;
import org.junit.jupiter.api.Test;

/** A machine that allows no further thread, or has no memory left, after a commit is decided. */
class NoThreadTest {
  private static final String CAUSE = "unable to create native thread";

  /** Starts no thread once the head names the commit. */
  private record Exhausted(TestTable table) implements ParallelRunner {
    @Override
    public <T> void each(Iterator<? extends T> items, Action<T> action)
        throws IOException, InterruptedException {
      if (isDecided()) {
        throw new OutOfMemoryError(CAUSE);
      }
      while (items.hasNext()) {
        action.run(items.next());
      }
    }

    private boolean isDecided() throws IOException, InterruptedException {
      return table.open().head().filter(it -> !it.active().isEmpty()).isPresent();
    }
  }

  @Test
  void aDecidedCommitIsReportedAsDecidedWhenNoThreadStarts() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    var process = table.open(table.process().runner(new Exhausted(table)).ports());
    assertThatThrownBy(() -> table.job(process, CommitKind.APPEND, "dt=1", "dt=2").commit())
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("decided but not finished")
        .hasRootCauseMessage(CAUSE);
    table.open().recover();
    assertThat(table.recorded()).hasSize(3);
  }
}
