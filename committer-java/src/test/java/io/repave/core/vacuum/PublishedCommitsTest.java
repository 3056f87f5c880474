package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Step;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Clock;
import io.repave.core.store.Location;
import io.repave.testing.InterceptingClock;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a vacuum costs follows what is new since the last one and what is live, not the length of
 * the history.
 */
class PublishedCommitsTest {
  private static final long HOUR = 3_600_000;
  private static final int NEW = 30;
  private static final int SHORT = 400;
  private static final int LONG = 1_200;

  /** Commits every hour, to one of five partitions. */
  private static void commit(TestTable table, int times) throws Exception {
    for (int i = 0; i < times; i++) {
      table.clock.advance(HOUR);
      table.commit(CommitKind.DYNAMIC, "dt=" + i % 5);
    }
  }

  /** The requests of a vacuum after some commits, on a table with a history that is kept. */
  private static Map<Request, Long> requests(Readers readers, int history) throws Exception {
    TestTable table = new TestTable(readers);
    table.configure(it -> it.historyRetentionMillis(10_000 * HOUR));
    commit(table, history);
    table.open().vacuum(HOUR);
    commit(table, NEW);
    return vacuum(table);
  }

  private static Map<Request, Long> vacuum(TestTable table) throws Exception {
    Map<Request, Long> before = table.counted.counts();
    table.open().vacuum(HOUR);
    Map<Request, Long> sent = new HashMap<>(table.counted.counts());
    sent.replaceAll((kind, count) -> count - before.getOrDefault(kind, 0L));
    sent.values().removeIf(count -> count == 0);
    return sent;
  }

  private static long sum(Map<Request, Long> requests) {
    return requests.values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void aVacuumOfASnapshotTableCostsTheSameAfterALongHistory() throws Exception {
    Map<Request, Long> few = requests(Readers.SNAPSHOT, SHORT);
    assertThat(requests(Readers.SNAPSHOT, LONG)).isEqualTo(few);
    // One manifest for each new commit, those since a checkpoint, and the checkpoints.
    assertThat(few.get(Request.GET)).isBetween((long) NEW, NEW + 25L);
    assertThat(sum(few)).isLessThan(NEW + 40L);
  }

  /** Its folders name the live files, so a vacuum reads no manifest. */
  @Test
  void aVacuumOfAListingTableReadsOneCheckpointFor500CommitsAndListsTheRecords() throws Exception {
    Map<Request, Long> few = requests(Readers.LISTING, SHORT);
    Map<Request, Long> many = requests(Readers.LISTING, LONG);
    assertThat(few.get(Request.GET)).isLessThan(10);
    assertThat(many.get(Request.GET) - few.get(Request.GET)).isLessThanOrEqualTo(LONG / 500);
    assertThat(many.get(Request.LIST) - few.get(Request.LIST)).isLessThanOrEqualTo(LONG * 4 / 1000);
  }

  /** To end the history takes the whole chain of checkpoints, so a vacuum does it now and then. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void manyVacuumsOfALongLifeCostTogetherAFewRequestsForEachCommit(Readers readers)
      throws Exception {
    TestTable table = new TestTable(readers);
    table.configure(it -> it.historyRetentionMillis(1_000 * HOUR));
    commit(table, 1_200);
    table.open().vacuum(HOUR);
    long from = table.head().historyFrom();
    long sent = 0;
    for (int i = 0; i < 20; i++) {
      commit(table, NEW);
      sent += sum(vacuum(table));
    }
    assertThat(table.head().historyFrom()).isGreaterThan(from + 15 * NEW);
    assertThat(sent).isLessThan(4L * 20 * NEW);
  }

  /** A clock that is 100 hours ahead. */
  private static Clock ahead(Clock clock) {
    return new InterceptingClock(clock) {
      @Override
      public long wallMillis() {
        return clock.wallMillis() + 100 * HOUR;
      }
    };
  }

  /** A driver whose clock is ahead gives its commit a later folder than it should have. */
  @Test
  void aCommitWhoseClockWasAheadKeepsItsRecords() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    commit(table, 30);
    Table driver =
        table.open(
            table
                .process()
                .clock(ahead(table.clock))
                .progress(TestTable.death(Step.COMPLETE_UPLOADS))
                .ports());
    TestJob job = table.job(driver, CommitKind.APPEND, "dt=7");
    assertThatThrownBy(job::commit).isInstanceOf(ProcessDied.class);
    CommitId ahead = job.id();
    table.open().recover();
    commit(table, 40);
    table.open().vacuum(HOUR);
    commit(table, 200);
    table.unfinished(Step.RESERVE, CommitKind.APPEND, "dt=8");
    commit(table, 5);

    assertThat(table.open().vacuum(HOUR).records()).isEqualTo(1);
    assertThat(table.open().manifest(ahead)).isPresent();
    assertThat(table.records("refused/")).isEqualTo(1);
    assertThat(table.history()).hasSize(277);
  }

  /** It is between records that an earlier vacuum has looked at. */
  @Test
  void aCheckpointThatALateProcessLeavesGoesWhenTheHistoryEnds() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.configure(it -> it.historyRetentionMillis(200 * HOUR));
    commit(table, 100);
    table.open().vacuum(HOUR);
    Location late = table.paths.checkpoint("000000000041-late.json.gz");
    table.store.put(late, ByteBuffer.wrap(new byte[] {1}));
    commit(table, 100);
    List<String> live = table.recorded();

    table.open().vacuum(HOUR);
    assertThat(table.store.head(late)).isPresent();
    table.clock.advance(100 * HOUR);
    table.open().vacuum(HOUR);
    assertThat(table.store.head(late)).isEmpty();
    assertThat(table.head().historyFrom()).isGreaterThan(50);
    assertThat(table.recorded()).isEqualTo(live);
  }
}
