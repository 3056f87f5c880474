package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Clock;
import io.repave.testing.CommitNames;
import io.repave.testing.HeldUpload;
import io.repave.testing.InterceptingClock;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A job waits for, or finishes, the commits that it finds unfinished when it begins. */
class AwaitUnfinishedCommitsTest {
  private static final long HOUR_MILLIS = 3_600_000;

  private final TestTable table = new TestTable();

  private static CommitRequest replacing(String commit, String folder) {
    return new CommitRequest(CommitNames.id(commit), CommitKind.STATIC, List.of(folder), "", "");
  }

  private long millisOf(Unchecked.Action action) throws Exception {
    long before = table.clock.tickMillis();
    action.run();
    return table.clock.tickMillis() - before;
  }

  private int active() throws Exception {
    return table.head().active().size();
  }

  record Crash(Step death, CommitKind next, ConflictPolicy policy) {}

  static Stream<Crash> crashes() {
    List<Crash> crashes = new ArrayList<>();
    for (Step death : Step.values()) {
      for (CommitKind next : List.of(CommitKind.DYNAMIC, CommitKind.STATIC, CommitKind.APPEND)) {
        for (ConflictPolicy policy : ConflictPolicy.values()) {
          // A revert needs a lost upload, and Follow a follower. FaultSweepTest covers both.
          if (death != Step.REVERT && death != Step.FOLLOW) {
            crashes.add(new Crash(death, next, policy));
          }
        }
      }
    }
    return crashes.stream();
  }

  @ParameterizedTest
  @MethodSource("crashes")
  void theNextJobSucceedsWhereverTheLastDriverDied(Crash crash) throws Exception {
    table.configure(it -> it.conflicts(crash.policy));
    table.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    // Verify begins even when no answer was lost and it has nothing to look at.
    table.unfinished(crash.death, CommitKind.DYNAMIC, "dt=1", "dt=2");
    table.commit(crash.next, "dt=1");
    assertThat(active()).isZero();
    String before = crash.death.compareTo(Step.RESERVE) > 0 ? "commit-000002" : "commit-000001";
    assertThat(table.writers())
        .containsExactlyInAnyOrderElementsOf(
            switch (crash.next) {
              case DYNAMIC -> List.of("dt=1/commit-000003", "dt=2/" + before);
              case STATIC -> List.of("dt=1/commit-000003");
              default -> List.of("dt=1/commit-000003", "dt=1/" + before, "dt=2/" + before);
            });
  }

  @Test
  void theTasksOfAnOverwriteReadTheFinishedCommitOfADeadDriver() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    assertThat(table.files()).isEmpty();
    table.open().begin(table.request(CommitKind.DYNAMIC));
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(active()).isZero();
  }

  @Test
  void aJobWaitsForTheLeaseOfAFreshCommit() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    assertThat(millisOf(() -> table.open().begin(table.request(CommitKind.DYNAMIC))))
        .isBetween(table.settings().leaseMillis(), table.settings().leaseMillis() + 1_000);
  }

  @Test
  void aJobThatIsStartedHoursAfterACrashDoesNotWait() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(HOUR_MILLIS);
    CommitRequest request = table.request(CommitKind.DYNAMIC);
    assertThat(millisOf(() -> table.open().begin(request))).isZero();
    assertThat(active()).isZero();
  }

  @ParameterizedTest
  @CsvSource({HOUR_MILLIS + ", 60000", -HOUR_MILLIS + ", 0"})
  void aClockThatIsWrongMakesTheLeaseNoLongerThanALease(long skew, long waits) throws Exception {
    Progress dies = TestTable.death(Step.COMPLETE_UPLOADS);
    Table other = table.open(table.process().clock(skewed(skew)).progress(dies).ports());
    TestJob dead = table.job(other, CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(dead::commit).isInstanceOf(ProcessDied.class);

    CommitRequest request = table.request(CommitKind.DYNAMIC);
    assertThat(millisOf(() -> table.open().begin(request))).isEqualTo(waits);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  private Clock skewed(long skew) {
    return new InterceptingClock(table.clock) {
      @Override
      public long wallMillis() {
        return table.clock.wallMillis() + skew;
      }
    };
  }

  /** Runs the action once, when this much time has passed. */
  private void after(long millis, Unchecked.Action action) {
    long at = table.clock.tickMillis() + millis;
    boolean[] done = {false};
    table.clock.onAdvance(
        now -> {
          if (now < at || done[0]) {
            return;
          }
          done[0] = true;
          Unchecked.run(action);
        });
  }

  @Test
  void aLiveCommitIsAwaitedAndNotFinishedBeforeItsLeaseEnds() throws Exception {
    CommitId live = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    List<Integer> unfinished = new ArrayList<>();
    after(
        table.settings().leaseMillis() - 5_000,
        () -> {
          unfinished.add(active());
          table.open().recover();
        });
    CommitRequest request = table.request(CommitKind.DYNAMIC);
    assertThat(millisOf(() -> table.open().begin(request)))
        .isLessThan(table.settings().leaseMillis() - 3_000);
    assertThat(unfinished).containsExactly(1);
    assertThat(table.head().logged(live)).isPresent();
  }

  @Test
  void aWaitingJobReportsForWhichCommitItWaits() throws Exception {
    CommitId dead = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    List<String> told = new ArrayList<>();
    Progress hears =
        new Progress() {
          @Override
          public void at(Step step, long done, long total) {}

          @Override
          public void waits(CommitId other, long millisLeft) {
            assertThat(millisLeft).isBetween(1L, table.settings().leaseMillis());
            told.add("waits for " + other.id());
          }

          @Override
          public void helps(CommitId other) {
            told.add("helps " + other.id());
          }
        };
    table.open(table.process().progress(hears).ports()).begin(table.request(CommitKind.DYNAMIC));
    assertThat(told).containsExactly("waits for " + dead.id(), "helps " + dead.id());
  }

  @Test
  void commitsThatBeginDuringTheWaitAreNotAwaited() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    TestJob newcomer = table.job(table.dyingAt(Step.COMPLETE_UPLOADS), CommitKind.APPEND, "dt=2");
    after(20_000, () -> assertThatThrownBy(newcomer::commit).isInstanceOf(ProcessDied.class));
    CommitRequest request = table.request(CommitKind.DYNAMIC);
    table.open().begin(request);
    assertThat(table.head().active())
        .extracting(commit -> commit.id())
        .containsExactly(newcomer.id());
  }

  @Test
  void aStaticOverwriteDoesNotWaitForCommitsToOtherFolders() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    assertThat(millisOf(() -> table.open().begin(replacing("commit-other", "dt=2")))).isZero();
    assertThat(active()).isEqualTo(1);
    table.open().begin(replacing("commit-around", ""));
    assertThat(active()).isZero();
  }

  @Test
  void aDynamicOverwriteWithAStaticPartValueWaitsOnlyForCommitsInThatPart() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "country=de/dt=1");
    CommitRequest other = table.request(CommitKind.DYNAMIC).within(List.of("country=fr"));
    assertThat(millisOf(() -> table.open().begin(other))).isZero();
    CommitRequest same = table.request(CommitKind.DYNAMIC).within(List.of("country=de"));
    assertThat(millisOf(() -> table.open().begin(same))).isPositive();
  }

  @Test
  void anAppendDoesNotWaitBeforeItsTasks() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    CommitRequest request = table.request(CommitKind.APPEND);
    assertThat(millisOf(() -> table.open().begin(request))).isZero();
    assertThat(active()).isEqualTo(1);
  }

  @Test
  void theLastWriterDoesNotWaitBeforeItsTasks() throws Exception {
    table.configure(it -> it.conflicts(ConflictPolicy.LAST_WRITER));
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    CommitRequest request = table.request(CommitKind.DYNAMIC);
    assertThat(millisOf(() -> table.open().begin(request))).isZero();
    assertThat(active()).isEqualTo(1);
  }

  @Test
  void aDeadRunUnderTheSameTokenIsFinishedAndNotDoneAgain() throws Exception {
    CommitRequest first =
        new CommitRequest(
            CommitNames.id("commit-first"), CommitKind.STATIC, List.of("dt=2"), "night-1", "");
    WriteTransaction dead = table.dyingAt(Step.VERIFY).begin(first);
    Ledger ledger = TestTable.ledger(table.upload(dead, List.of("dt=2")));
    assertThatThrownBy(() -> dead.commit(ledger)).isInstanceOf(ProcessDied.class);
    CommitRequest again =
        new CommitRequest(
            CommitNames.id("commit-again"), CommitKind.STATIC, List.of("dt=2"), "night-1", "");
    WriteTransaction job = table.open().begin(again);
    assertThat(active()).isZero();
    assertThat(job.commit(TestTable.ledger(table.upload(job, List.of("dt=2")))).by())
        .isEqualTo(dead.id());
    assertThat(table.writers()).containsExactly("dt=2/commit-first");
  }

  @Test
  void theNextAppendFinishesADeadAppend() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=1");
    table.clock.advance(table.settings().leaseMillis());
    table.open().begin(table.request(CommitKind.APPEND));
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(active()).isZero();
  }

  @Test
  void deadCommitsThatAreRevertedShareOneDrainPause() throws Exception {
    for (int i = 0; i < 20; i++) {
      table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=" + i);
    }
    for (HeldUpload upload : List.copyOf(table.store.openUploads())) {
      table.store.abort(upload.at(), upload.uploadId());
    }
    table.clock.advance(HOUR_MILLIS);
    CommitRequest request = table.request(CommitKind.DYNAMIC);
    assertThat(millisOf(() -> table.open().begin(request)))
        .isBetween(table.settings().drainMillis(), table.settings().drainMillis() + 60_000);
    assertThat(active()).isZero();
    assertThat(table.files()).isEmpty();
  }

  @Test
  void aLostFileKeepsTheOtherFilesOfItsCommitInvisible() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=1", "dt=2", "dt=3");
    HeldUpload first = table.store.openUploads().get(0);
    table.store.abort(first.at(), first.uploadId());
    Set<String> seen = new TreeSet<>();
    table.clock.onAdvance(now -> seen.addAll(table.files()));
    table.open().recover();
    assertThat(active()).isZero();
    assertThat(seen).isEmpty();
  }

  @Test
  void aRollbackFinishesTheCommitOfADeadDriverFirst() throws Exception {
    TestTable snapshots = new TestTable(Readers.SNAPSHOT);
    long first = snapshots.commit(CommitKind.DYNAMIC, "dt=1").version();
    snapshots.unfinished(Step.PUBLISH, CommitKind.DYNAMIC, "dt=1");
    assertThat(snapshots.open().rollback(first).version()).isEqualTo(first + 2);
    assertThat(snapshots.head().active()).isEmpty();
  }
}
