package io.repave.spark.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.CommitReport;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.CountedStore;
import io.repave.core.error.FollowErrors;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileTotals;
import io.repave.core.store.Location;
import io.repave.spark.write.WriteTarget;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** The log of a commit, in which PySpark shows only warnings, and the document of the commit. */
class CommitLogTest {
  private static final FileTotals TOTALS = new FileTotals(3, 900, 2, 800, 0);

  private final CommitId own = new CommitId(UUID.randomUUID().toString(), 1_795_230_900_123L);
  private final CommitId other = new CommitId(UUID.randomUUID().toString(), 1_795_230_800_123L);
  private final WriteTarget target = WriteTarget.of(own.id(), "s3a://lake/sales", true);
  private final CommitLog log = new CommitLog(own.id());

  private CommitResult committed() {
    CommitReport report = new CommitReport(own, CommitKind.DYNAMIC, 7, TOTALS, Map.of(), Map.of());
    return new CommitResult(own, 7, TOTALS, Optional.of(report));
  }

  private CommitResult repeated() {
    return new CommitResult(other, 3, FileTotals.NONE, Optional.empty());
  }

  @Test
  void anOrdinaryCommitIsNoWarning() {
    CommitLog.Line line = log.summary(target, "", committed(), 0);
    assertThat(line.level()).isEqualTo(Level.INFO);
    assertThat(line.text()).contains("as version 7 of s3a://lake/sales: 3 files in (900 bytes)");
  }

  @Test
  void theRowsAreNamedWhenTheyAreKnown() {
    OptionalLong in = OptionalLong.of(70);
    FileTotals some = new FileTotals(3, 900, in, 2, 800, OptionalLong.empty(), 0);
    FileTotals all = new FileTotals(3, 900, in, 2, 800, OptionalLong.of(60), 0);
    FileTotals none = new FileTotals(0, 0, 0, 0, 0);
    assertThat(line(TOTALS)).contains(": 3 files in (900 bytes), 2 out; ");
    assertThat(line(some)).contains(": 3 files in (900 bytes, 70 rows), 2 out; ");
    assertThat(line(all)).contains(": 3 files in (900 bytes, 70 rows), 2 out (60 rows); ");
    assertThat(line(none)).contains(": 0 files in (0 bytes), 0 out; ");
  }

  /** The figures of a commit of 1,000 files: `repave costs` shows the same dollars. */
  @Test
  void theLineEndsWithWhatTheWholeJobCost() {
    Map<CountedStore.Request, Long> requests =
        Map.of(
            CountedStore.Request.COMPLETE, 1_000L,
            CountedStore.Request.GET, 10L,
            CountedStore.Request.PUT, 7L,
            CountedStore.Request.DELETE, 3L);
    assertThat(line(requests, 2_003)).endsWith("1020 requests, ; about $0.015");
    assertThat(line(Map.of(CountedStore.Request.GET, 1L), 0)).endsWith("; about $0.00002");
    assertThat(line(Map.of(), 12)).endsWith("; about $0.00008");
  }

  private String line(Map<CountedStore.Request, Long> requests, long puts) {
    CommitReport report = new CommitReport(own, CommitKind.DYNAMIC, 7, TOTALS, requests, Map.of());
    CommitResult result = new CommitResult(own, 7, TOTALS, Optional.of(report));
    return log.summary(target, "", result, puts).text();
  }

  private String line(FileTotals totals) {
    return log.summary(target, "", new CommitResult(own, 7, totals, Optional.empty()), 0).text();
  }

  @Test
  void aCommitThatWaitedOrHelpedWarns() {
    log.waits(other, 8_000);
    assertThat(log.summary(target, "", committed(), 0).level()).isEqualTo(Level.WARN);
    log.helps(other);
    assertThat(log.summary(target, "", committed(), 0).text())
        .endsWith("; waited for " + other.id() + "; finished abandoned commits " + other.id());
  }

  @Test
  void aCommitThatChangedNothingWarnsAndNamesTheEarlierOne() {
    CommitLog.Line line = log.summary(target, "run 7", repeated(), 0);
    assertThat(line.level()).isEqualTo(Level.WARN);
    assertThat(line.text())
        .contains("changed nothing: version 3 of s3a://lake/sales", other.id(), "'run 7'");
  }

  @Test
  void aFollowerThatIsBehindIsNamedWithWhatBringsItForward() {
    String published = "Commit " + own.id() + " is published, but its readers through ";
    assertThat(log.behind("symlink", FollowErrors.triedAgain(new IOException("403 from S3."))))
        .isEqualTo(
            published
                + "symlink do not see it yet: 403 from S3. The next commit or `repave sync` tries"
                + " again.");
    assertThat(log.behind("delta", FollowErrors.farBehind("s3://lake/sales", 201)))
        .isEqualTo(
            published
                + "delta do not see it yet: It is 201 versions behind, which is too many for a"
                + " commit to write. Its readers see an older version. Only every 200th commit"
                + " tries again. To bring it forward now, run: repave sync s3://lake/sales. If that"
                + " fails, it says what has stopped the follower.");
  }

  @Test
  void aCommitThatAnotherProcessFinishedWarns() {
    CommitResult finished = new CommitResult(own, 7, FileTotals.NONE, Optional.empty());
    CommitLog.Line line = log.summary(target, "", finished, 0);
    assertThat(line.level()).isEqualTo(Level.WARN);
    assertThat(line.text()).contains("finished by another process");
  }

  @Test
  void theLastCommitsOfManyTablesAreKeptAndTheOldestForgotten() {
    LastCommits last = new LastCommits(2);
    Location first = new Location("lake", "a");
    last.remember(first, target, committed());
    last.remember(new Location("lake", "b"), target, committed());
    last.remember(first, target, repeated());
    last.remember(new Location("lake", "c"), target, committed());
    assertThat(last.of(new Location("lake", "b"))).isEmpty();
    assertThat(last.of(first))
        .hasValueSatisfying(it -> assertThat(it.target().isRepeatedBy(it.result())).isTrue());
  }
}
