package io.repave.testing;

import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;

/** A table with a commit on each of 40 days, of which the records keep 10. */
public final class DailyCommits {
  public static final long DAY = 86_400_000;
  public static final int DAYS = 40;

  private DailyCommits() {}

  public static TestTable table(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.configure(it -> it.historyRetentionMillis(10 * DAY));
    table.checkpointEvery(5);
    for (int day = 0; day < DAYS; day++) {
      table.clock.advance(DAY);
      table.commit(CommitKind.DYNAMIC, "dt=" + day % 3);
    }
    return table;
  }
}
