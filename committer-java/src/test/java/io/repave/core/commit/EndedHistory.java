package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.testing.TestTable;

/**
 * A table whose second commit is in the hands of a process that sleeps. Meanwhile others finish
 * that commit, write to the table, and end the history in which the commit is.
 */
final class EndedHistory {
  private static final long DAY = 86_400_000L;

  private final TestTable table;

  EndedHistory(TestTable table) throws Exception {
    this.table = table;
    table.configure(it -> it.historyRetentionMillis(DAY));
    table.commit(CommitKind.APPEND, "dt=1");
  }

  void end() throws Exception {
    table.open().recover();
    table.commit(CommitKind.APPEND, "dt=1");
    table.clock.advance(2 * DAY);
    table.commit(CommitKind.APPEND, "dt=2");
    table.open().vacuum(DAY);
  }

  /** The second commit replaced the first one, and later files are still there. */
  void requireAllFiles() throws Exception {
    assertThat(table.writers())
        .containsExactly("dt=1/commit-000002", "dt=1/commit-000003", "dt=2/commit-000004");
    assertThat(table.recorded())
        .containsExactly("dt=1/commit-000002", "dt=1/commit-000003", "dt=2/commit-000004");
  }
}
