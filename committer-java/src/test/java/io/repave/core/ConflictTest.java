package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitKind;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What two jobs on one table make of each other. */
class ConflictTest {
  private final Lake lake = new Lake();

  /** A job that began before another one commits, and commits after it. */
  private CommitResult late(CommitKind kind, String partition, Runs other) throws Exception {
    WriteTransaction job = lake.table().begin(lake.request(kind));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of(partition)));
    other.run();
    return job.commit(ledger);
  }

  @FunctionalInterface
  private interface Runs {
    void run() throws Exception;
  }

  @ParameterizedTest
  @CsvSource({
    "DYNAMIC, dt=1, DYNAMIC, dt=1",
    "DYNAMIC, dt=1, APPEND, dt=1",
    "STATIC, dt=1, APPEND, dt=2",
    "STATIC, dt=1, DYNAMIC, dt=2",
    "DYNAMIC, dt=1, STATIC, dt=2",
    "DYNAMIC, dt=1, DYNAMIC, dt=1/hour=2",
    "DYNAMIC, dt=1/hour=2, DYNAMIC, dt=1",
  })
  void aJobThatReplacesWhatWasChangedSinceItBeganFails(
      CommitKind mine, String my, CommitKind others, String other) throws Exception {
    assertThatThrownBy(() -> late(mine, my, () -> lake.commit(others, other)))
        .isInstanceOf(CommitConflictException.class);
    assertThat(lake.writers()).containsExactly(other + "/commit-000002");
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "DYNAMIC, dt=1, DYNAMIC, dt=10",
    "DYNAMIC, dt=1, APPEND, dt=2",
    "APPEND, dt=1, APPEND, dt=1",
    "APPEND, dt=1, DYNAMIC, dt=1",
    "DYNAMIC, dt=1/hour=1, DYNAMIC, dt=1/hour=10",
  })
  void jobsThatLeaveEachOtherAloneBothCommit(
      CommitKind mine, String my, CommitKind others, String other) throws Exception {
    late(mine, my, () -> lake.commit(others, other));
    assertThat(lake.writers())
        .containsExactlyInAnyOrder(my + "/commit-000001", other + "/commit-000002");
  }

  @Test
  void theLastWriterReplacesWhatItFindsWhenItMay() throws Exception {
    lake.settings = lake.settings.with(ConflictPolicy.LAST_WRITER);
    late(CommitKind.DYNAMIC, "dt=1", () -> lake.commit(CommitKind.DYNAMIC, "dt=1", "dt=2"));
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001", "dt=2/commit-000002");
  }

  @Test
  void anUnfinishedCommitInTheWayIsFinishedAfterALease() throws Exception {
    lake.settings = lake.settings.with(ConflictPolicy.LAST_WRITER);
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1", "dt=2");
    long before = lake.clock.tickMillis();
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(lake.clock.tickMillis() - before)
        .isGreaterThanOrEqualTo(lake.settings.leaseMillis());
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000001");
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
  }

  @Test
  void anUnfinishedCommitElsewhereIsNeitherWaitedForNorFinished() throws Exception {
    lake.settings = lake.settings.with(ConflictPolicy.LAST_WRITER);
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    long before = lake.clock.tickMillis();
    lake.commit(CommitKind.DYNAMIC, "dt=2");
    assertThat(lake.clock.tickMillis() - before).isLessThan(lake.settings.leaseMillis());
    assertThat(lake.table().head().orElseThrow().active()).hasSize(1);
  }

  /** To wait for another commit is no request without an answer, and takes none of their time. */
  @Test
  void aJobThatWaitedLongIsAsPatientWithTheHeadAsAnyOther() throws Exception {
    EngineSettings s = lake.settings;
    long lease = 2 * s.retry().budgetMillis();
    lake.settings =
        s.change()
            .conflicts(ConflictPolicy.LAST_WRITER)
            .heartbeatMillis(0)
            .leaseMillis(lease)
            .done();
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    boolean[] beaten = {false};
    Table table =
        lake.through(
            lake.turning(
                name -> {
                  if (name.equals("putIfMatch") && !beaten[0] && isAtRest()) {
                    beaten[0] = true;
                    run(() -> lake.commit(CommitKind.APPEND, "dt=2"));
                  }
                }));
    WriteTransaction job = table.begin(lake.request(CommitKind.DYNAMIC));
    job.commit(Lake.ledger(lake.upload(job, List.of("dt=1"))));
    assertThat(beaten).containsExactly(true);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000003");
  }

  private boolean isAtRest() {
    boolean[] rest = {false};
    run(() -> rest[0] = lake.table().head().orElseThrow().active().isEmpty());
    return rest[0];
  }

  private static void run(Runs inBetween) {
    try {
      inBetween.run();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aTokenThatWasPublishedIsNotPublishedTwiceHoweverLongAgo() throws Exception {
    CommitResult first = lake.commit(lake.request(CommitKind.APPEND, "run-1"), List.of("dt=1"));
    for (int job = 0; job < 80; job++) {
      lake.commit(CommitKind.APPEND, "dt=2");
    }
    assertThat(lake.table().head().orElseThrow().logged(first.by())).isEmpty();
    Map<String, String> before = lake.data();
    CommitResult again = lake.commit(lake.request(CommitKind.APPEND, "run-1"), List.of("dt=1"));
    assertThat(again.by()).isEqualTo(first.by());
    assertThat(again.version()).isEqualTo(first.version());
    assertThat(lake.data()).isEqualTo(before);
  }

  @Test
  void aTokenWhoseCommitIsUnfinishedIsFinishedAndNotDoneAgain() throws Exception {
    WriteTransaction dead =
        lake.dyingAt(Step.VERIFY).begin(lake.request(CommitKind.APPEND, "run-1"));
    Ledger ledger = Lake.ledger(lake.upload(dead, List.of("dt=1")));
    assertThatThrownBy(() -> dead.commit(ledger)).isInstanceOf(Lake.Died.class);
    CommitResult again = lake.commit(lake.request(CommitKind.APPEND, "run-1"), List.of("dt=1"));
    assertThat(again.by()).isEqualTo(dead.id());
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
  }

  @Test
  void anotherTokenIsOtherWork() throws Exception {
    lake.commit(lake.request(CommitKind.APPEND, "run-1"), List.of("dt=1"));
    lake.commit(lake.request(CommitKind.APPEND, "run-2"), List.of("dt=1"));
    assertThat(lake.files()).hasSize(2);
  }
}
