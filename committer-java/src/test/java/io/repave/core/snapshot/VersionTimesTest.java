package io.repave.core.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The version of a moment is the newest that was published at or before it. */
class VersionTimesTest {
  private final TestTable table = new TestTable(Readers.SNAPSHOT);

  private void versions(int count) throws Exception {
    for (int version = 0; version < count; version++) {
      table.commit(CommitKind.APPEND, "dt=1");
    }
  }

  private long at(long millis) throws Exception {
    return table.open().versionAt(table.head(), millis);
  }

  private List<LoggedCommit> history() throws Exception {
    return table.history();
  }

  /** Removes the times, as version 0.1 does when it writes the head. */
  private void forgetTimes() throws Exception {
    table.rewrite(table.paths.head(), json -> json.replaceAll(",\"published-millis\":\\d+", ""));
  }

  @Test
  void everyVersionIsFoundFromItsTimeUntilTheNextOne() throws Exception {
    table.checkpointEvery(7);
    versions(60);
    for (LoggedCommit commit : history()) {
      assertThat(at(commit.publishedMillis())).isEqualTo(commit.version());
      if (commit.version() > 1) {
        assertThat(at(commit.publishedMillis() - 1)).isEqualTo(commit.version() - 1);
      }
    }
    assertThat(at(Long.MAX_VALUE)).isEqualTo(table.head().version());
  }

  @Test
  void recentTimesCostNoRequestAndOlderOnesOneForEachCheckpoint() throws Exception {
    table.checkpointEvery(40); // a small snapshot table has one every 10 versions
    versions(80);
    List<LoggedCommit> all = history();
    assertThat(requests(all.get(79))).isEmpty();
    assertThat(requests(all.get(60))).isEmpty();
    Map<Request, Long> old = requests(all.get(0));
    assertThat(old.keySet()).containsExactly(Request.GET);
    assertThat(old.get(Request.GET)).isLessThanOrEqualTo(9);
  }

  private Map<Request, Long> requests(LoggedCommit commit) throws Exception {
    Head head = table.head();
    Map<Request, Long> before = new TreeMap<>(table.counted.counts());
    assertThat(table.open().versionAt(head, commit.publishedMillis())).isEqualTo(commit.version());
    Map<Request, Long> counts = new TreeMap<>(table.counted.counts());
    before.forEach((request, count) -> counts.merge(request, -count, Long::sum));
    counts.values().removeIf(count -> count == 0);
    return counts;
  }

  @Test
  void aMomentBeforeTheFirstVersionIsRefusedWithItsTime() throws Exception {
    versions(2);
    long first = history().get(0).publishedMillis();
    assertThatThrownBy(() -> at(first - 1))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("had no version yet at 20")
        .hasMessageContaining(": version 1 was published at 20");
  }

  @Test
  void aMomentBeforeTheKeptHistoryIsRefusedWithTheOldestVersion() throws Exception {
    versions(5);
    long first = history().get(0).publishedMillis();
    table.rewrite(
        table.paths.head(), json -> json.replace("\"history-from\":0", "\"history-from\":3"));
    assertThatThrownBy(() -> at(first))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("they begin with version 3");
  }

  @Test
  void commitsOfVersion01AreFoundByTheDatesOfTheirReports() throws Exception {
    versions(3);
    List<LoggedCommit> all = history();
    forgetTimes();
    // The first version is the adoption, whose report has the date of the second one's.
    for (LoggedCommit commit : all.subList(1, all.size())) {
      assertThat(at(commit.publishedMillis())).isEqualTo(commit.version());
    }
  }

  @Test
  void aTimeThatNothingTellsIsNotGuessed() throws Exception {
    versions(2);
    forgetTimes();
    table.store.delete(List.of(table.paths.report(history().get(2).id())));
    assertThatThrownBy(() -> at(Long.MAX_VALUE))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("not known when version");
  }

  @Test
  void aVersionThatIsNotFinishedHasItsTime() throws Exception {
    versions(1);
    table.unfinished(Step.FINISH, CommitKind.APPEND, "dt=1");
    assertThat(at(table.clock.wallMillis())).isEqualTo(table.head().version());
    forgetTimes();
    assertThat(at(table.clock.wallMillis())).isEqualTo(table.head().version());
  }

  @Test
  void aTableWithoutVersionsHasNoneAtAnyMoment() throws Exception {
    TestTable empty = new TestTable();
    empty.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> empty.open().versionAt(empty.head(), Long.MAX_VALUE))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("it has no versions");
  }
}
