package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Step;
import io.repave.core.ledger.FileFacts;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.store.Clock;
import io.repave.testing.HeldUpload;
import io.repave.testing.InterceptingClock;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every version has a time of publication, and these times increase. */
class PublishedTimesTest {
  private static final int MORE_THAN_THE_LOG_KEEPS = 40;

  private final TestTable table = new TestTable();

  /** A clock that is wrong by so much. */
  private Clock wrongBy(long millis) {
    return new InterceptingClock(table.clock) {
      @Override
      public long wallMillis() {
        return table.clock.wallMillis() + millis;
      }
    };
  }

  private long publishedBy(Clock clock) throws Exception {
    TestJob job =
        table.job(
            table.open(table.process().clock(clock).ports()),
            table.request(CommitKind.APPEND),
            "dt=1");
    job.commit();
    return table.head().logged(job.id()).orElseThrow().publishedMillis();
  }

  @Test
  void aVersionIsPublishedAtTheTimeOfItsProcess() throws Exception {
    long published = publishedBy(table.clock);
    assertThat(published).isEqualTo(table.clock.wallMillis());
  }

  @Test
  void timesIncreaseWhenAClockIsBehind() throws Exception {
    long first = publishedBy(wrongBy(3_600_000));
    assertThat(first).isEqualTo(table.clock.wallMillis() + 3_600_000);
    assertThat(publishedBy(table.clock)).isEqualTo(first + 1);
    assertThat(publishedBy(wrongBy(-3_600_000))).isEqualTo(first + 2);
  }

  @Test
  void aClockAtTheEndOfTimeDoesNotStopTheTable() throws Exception {
    publishedBy(table.clock);
    String recorded = Long.toString(table.head().lastPublishedMillis());
    table.rewrite(
        table.paths.head(), json -> json.replace(recorded, Long.toString(FileFacts.NUMBER_MAX)));
    assertThat(publishedBy(table.clock)).isEqualTo(FileFacts.NUMBER_MAX);
    assertThat(table.head().version()).isEqualTo(2);
  }

  @Test
  void timesOfARecoveredCommitAreThoseOfItsRecovery() throws Exception {
    table.unfinished(Step.PUBLISH, CommitKind.APPEND, "dt=1");
    table.clock.advance(5_000_000);
    table.open().recover();
    assertThat(table.head().lastPublishedMillis()).isEqualTo(table.clock.wallMillis());
  }

  @Test
  void timesGoIntoTheCheckpoints() throws Exception {
    table.checkpointEvery(3);
    for (int version = 0; version < MORE_THAN_THE_LOG_KEEPS; version++) {
      table.commit(CommitKind.APPEND, "dt=1");
    }
    List<Long> times = table.history().stream().map(LoggedCommit::publishedMillis).toList();
    assertThat(times).hasSize(MORE_THAN_THE_LOG_KEEPS).doesNotContain(0L);
    assertThat(new ArrayList<>(times)).isSorted().doesNotHaveDuplicates();
    assertThat(table.head().log().size()).isLessThan(MORE_THAN_THE_LOG_KEEPS);
  }

  @Test
  void manyRevertsDoNotHideTheTimeOfTheNewestVersion() throws Exception {
    table.checkpointEvery(1);
    publishedBy(wrongBy(100_000_000_000L));
    long newest = table.head().lastPublishedMillis();
    for (int revert = 0; revert < MORE_THAN_THE_LOG_KEEPS; revert++) {
      table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=2");
      for (HeldUpload upload : List.copyOf(table.store.openUploads())) {
        table.store.abort(upload.at(), upload.uploadId());
      }
      table.open().recover();
    }
    table.commit(CommitKind.APPEND, "dt=3");
    Head head = table.head();
    assertThat(head.log().stream().filter(LoggedCommit::reverted).count()).isGreaterThan(30);
    assertThat(head.lastPublishedMillis()).isGreaterThan(newest);
  }

  @Test
  void recordsWithoutTimesAreReadAndContinued() throws Exception {
    publishedBy(table.clock);
    table.rewrite(table.paths.head(), json -> json.replaceAll(",\"published-millis\":\\d+", ""));
    assertThat(table.head().lastPublishedMillis()).isZero();
    assertThat(publishedBy(table.clock)).isEqualTo(table.clock.wallMillis());
  }
}
