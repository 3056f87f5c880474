package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.CountedStore.Request;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A table that is written to for years, with a vacuum every week. The cost of a commit and the
 * number of records do not grow. {@code make long-life} runs more commits.
 */
class LongLifeTest {
  private static final int COMMITS = Integer.getInteger("life.commits", 1_200);
  private static final long DAY = 86_400_000;
  private static final int A_DAY = 50;
  private static final int PARTITIONS = 40;
  private static final int HEAD_BYTES_MOST = 64 * 1_024;

  private TestTable table;
  private int commits;

  /**
   * Commits {@code times} times. Returns the average requests of a commit, checkpoints included.
   */
  private double commit(int times) throws Exception {
    long uploads = 0;
    long before = table.requests();
    for (int i = 0; i < times; i++) {
      table.clock.advance(DAY / A_DAY);
      table.commit(CommitKind.DYNAMIC, "dt=%03d".formatted(++commits % PARTITIONS));
      uploads++;
    }
    return (table.requests() - before) / (double) uploads;
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void neitherCommitsNorRecordsGrowWithTheHistory(Readers readers) throws Exception {
    table = new TestTable(readers);
    // A history of a week in the small run, and of 90 days in the run over years.
    long history = COMMITS < 10_000 ? 7 * DAY : 90 * DAY;
    table.configure(it -> it.historyRetentionMillis(history));
    commit(100);
    double young = commit(100);
    long most = 0;
    long vacuum = 0;
    long longest = 0;
    long vacuums = 0;
    while (commits < COMMITS) {
      commit(7 * A_DAY);
      long before = table.requests();
      table.open().vacuum(2 * DAY);
      vacuum += table.requests() - before;
      longest = Math.max(longest, table.requests() - before);
      vacuums++;
      most = Math.max(most, table.records(""));
    }
    double old = commit(100);

    Head head = table.head();
    long headBytes = HeadJson.write(head).length;
    long gets = table.counted.counts().get(Request.GET);
    table.open().history(20);
    long historyGets = table.counted.counts().get(Request.GET) - gets;
    System.out.printf(
        "%s, %d commits: a commit took %.1f requests after 100 commits and %.1f at the end; the"
            + " head has %d bytes; at most %d records; a vacuum %d requests on average, %d at most;"
            + " 20 commits of the history %d GETs%n",
        readers, commits, young, old, headBytes, most, vacuum / vacuums, longest, historyGets);
    // For each commit since the last vacuum, and a part of the checkpoints of the kept history.
    assertThat(vacuum / vacuums).isLessThan(4 * 7 * A_DAY);
    assertThat(longest).isLessThan(A_DAY * (history / DAY + 7) * 3 / 2);
    assertThat(old).isLessThan(young * 1.2 + 1);
    assertThat(headBytes).isLessThan(HEAD_BYTES_MOST);
    assertThat(historyGets).isLessThanOrEqualTo(25);
    assertThat(most).isLessThan(7 * (history / DAY + 16) * A_DAY);
    assertThat(table.recorded()).hasSize(PARTITIONS);
    assertThat(table.writers()).containsAll(table.recorded());
  }
}
