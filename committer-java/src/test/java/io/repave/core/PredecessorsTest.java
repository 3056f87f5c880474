package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Clock;
import io.repave.testing.CommitNames;
import io.repave.testing.HeldUpload;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a job makes of the commits that it finds unfinished when it begins. */
class PredecessorsTest {
  private static final long HOUR_MILLIS = 3_600_000;

  private final Lake lake = new Lake();

  private static CommitRequest replacing(String commit, String folder) {
    return new CommitRequest(CommitNames.id(commit), CommitKind.STATIC, List.of(folder), "", "");
  }

  private long millisOf(Runs action) throws Exception {
    long before = lake.clock.tickMillis();
    action.run();
    return lake.clock.tickMillis() - before;
  }

  @FunctionalInterface
  private interface Runs {
    void run() throws Exception;
  }

  private int active() throws Exception {
    return lake.table().head().orElseThrow().active().size();
  }

  record Crash(Step death, CommitKind next, ConflictPolicy policy) {}

  static Stream<Crash> crashes() {
    List<Crash> crashes = new ArrayList<>();
    for (Step death : Step.values()) {
      for (CommitKind next : List.of(CommitKind.DYNAMIC, CommitKind.STATIC, CommitKind.APPEND)) {
        for (ConflictPolicy policy : ConflictPolicy.values()) {
          // A revert needs a lost upload; the sweep of the simulation has them.
          if (death != Step.REVERT) {
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
    lake.settings = lake.settings.with(crash.policy);
    lake.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    // Step 5 finds nothing doubtful unless an answer was lost: it begins all the same.
    lake.unfinished(crash.death, CommitKind.DYNAMIC, "dt=1", "dt=2");
    lake.commit(crash.next, "dt=1");
    assertThat(active()).isZero();
    String before = crash.death.compareTo(Step.RESERVE) > 0 ? "commit-000002" : "commit-000001";
    assertThat(lake.writers())
        .containsExactlyInAnyOrderElementsOf(
            switch (crash.next) {
              case DYNAMIC -> List.of("dt=1/commit-000003", "dt=2/" + before);
              case STATIC -> List.of("dt=1/commit-000003");
              default -> List.of("dt=1/commit-000003", "dt=1/" + before, "dt=2/" + before);
            });
  }

  @Test
  void theTasksOfAnOverwriteReadWhatTheDeadOneLeft() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    assertThat(lake.files()).isEmpty();
    lake.table().begin(lake.request(CommitKind.DYNAMIC));
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
    assertThat(active()).isZero();
  }

  @Test
  void aFreshCommitGetsItsLease() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    assertThat(millisOf(() -> lake.table().begin(lake.request(CommitKind.DYNAMIC))))
        .isBetween(lake.settings.leaseMillis(), lake.settings.leaseMillis() + 1_000);
  }

  @Test
  void aDynamicOverwriteWithAStaticPartValueWaitsOnlyForCommitsInThatPart() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "country=de/dt=1");
    CommitRequest other = lake.request(CommitKind.DYNAMIC).within(List.of("country=fr"));
    assertThat(millisOf(() -> lake.table().begin(other))).isZero();
    CommitRequest same = lake.request(CommitKind.DYNAMIC).within(List.of("country=de"));
    assertThat(millisOf(() -> lake.table().begin(same))).isPositive();
  }

  @Test
  void aJobThatIsStartedHoursAfterACrashDoesNotWait() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    lake.clock.advance(HOUR_MILLIS);
    CommitRequest request = lake.request(CommitKind.DYNAMIC);
    assertThat(millisOf(() -> lake.table().begin(request))).isZero();
    assertThat(active()).isZero();
  }

  @ParameterizedTest
  @CsvSource({HOUR_MILLIS + ", 60000", -HOUR_MILLIS + ", 0"})
  void aClockThatIsWrongMakesTheLeaseNoLongerThanALease(long skew, long waits) throws Exception {
    Ports ports = lake.ports();
    Clock wrong = skewed(skew);
    Progress dies =
        (step, done, total) -> {
          if (step == Step.COMPLETE_UPLOADS) {
            throw new Lake.Died();
          }
        };
    Ports others =
        new Ports(ports.store(), wrong, ports.nonces(), ports.runner(), ports.scratch(), dies);
    WriteTransaction dead =
        Table.open(others, lake.paths, lake.settings).begin(lake.request(CommitKind.DYNAMIC));
    Ledger ledger = Lake.ledger(lake.upload(dead, List.of("dt=1")));
    assertThatThrownBy(() -> dead.commit(ledger)).isInstanceOf(Lake.Died.class);

    CommitRequest request = lake.request(CommitKind.DYNAMIC);
    assertThat(millisOf(() -> lake.table().begin(request))).isEqualTo(waits);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
  }

  private Clock skewed(long skew) {
    return new Clock() {
      @Override
      public long wallMillis() {
        return lake.clock.wallMillis() + skew;
      }

      @Override
      public long tickMillis() {
        return lake.clock.tickMillis();
      }

      @Override
      public void sleep(long millis) {
        lake.clock.sleep(millis);
      }

      @Override
      public Repetition every(long millis, Runnable task) {
        return lake.clock.every(millis, task);
      }
    };
  }

  /** Runs something once, while somebody sleeps, when so much time has passed. */
  private void after(long millis, Runs action) {
    long at = lake.clock.tickMillis() + millis;
    boolean[] done = {false};
    lake.clock.onAdvance(
        now -> {
          if (now < at || done[0]) {
            return;
          }
          done[0] = true;
          try {
            action.run();
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void aLiveNeighbourIsWaitedForAndNotHelpedBeforeItsLeaseIsOver() throws Exception {
    CommitId live = lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    List<Integer> unfinished = new ArrayList<>();
    after(
        lake.settings.leaseMillis() - 5_000,
        () -> {
          unfinished.add(active());
          lake.table().recover();
        });
    CommitRequest request = lake.request(CommitKind.DYNAMIC);
    assertThat(millisOf(() -> lake.table().begin(request)))
        .isLessThan(lake.settings.leaseMillis() - 3_000);
    assertThat(unfinished).containsExactly(1);
    assertThat(lake.table().head().orElseThrow().logged(live)).isPresent();
  }

  @Test
  void whoWaitsIsToldForWhomAndThatItIsFinished() throws Exception {
    CommitId dead = lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    List<String> told = new ArrayList<>();
    Progress hears =
        new Progress() {
          @Override
          public void at(Step step, long done, long total) {}

          @Override
          public void waits(CommitId other, long millisLeft) {
            assertThat(millisLeft).isBetween(1L, lake.settings.leaseMillis());
            told.add("waits for " + other.id());
          }

          @Override
          public void helps(CommitId other) {
            told.add("helps " + other.id());
          }
        };
    Ports p = lake.ports();
    Ports heard = new Ports(p.store(), p.clock(), p.nonces(), p.runner(), p.scratch(), hears);
    Table.open(heard, lake.paths, lake.settings).begin(lake.request(CommitKind.DYNAMIC));
    assertThat(told).containsExactly("waits for " + dead.id(), "helps " + dead.id());
  }

  @Test
  void onlyCommitsOfTheFirstLookAreWaitedFor() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    WriteTransaction newcomer =
        lake.dyingAt(Step.COMPLETE_UPLOADS).begin(lake.request(CommitKind.APPEND));
    Ledger ledger = Lake.ledger(lake.upload(newcomer, List.of("dt=2")));
    after(
        20_000,
        () -> assertThatThrownBy(() -> newcomer.commit(ledger)).isInstanceOf(Lake.Died.class));
    CommitRequest request = lake.request(CommitKind.DYNAMIC);
    lake.table().begin(request);
    assertThat(lake.table().head().orElseThrow().active())
        .extracting(commit -> commit.id())
        .containsExactly(newcomer.id());
  }

  @Test
  void aStaticOverwriteLeavesCommitsAloneThatTouchOtherFolders() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    assertThat(millisOf(() -> lake.table().begin(replacing("commit-other", "dt=2")))).isZero();
    assertThat(active()).isEqualTo(1);
    lake.table().begin(replacing("commit-around", ""));
    assertThat(active()).isZero();
  }

  @Test
  void anAppendWaitsForNobodyBeforeItsTasks() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    CommitRequest request = lake.request(CommitKind.APPEND);
    assertThat(millisOf(() -> lake.table().begin(request))).isZero();
    assertThat(active()).isEqualTo(1);
  }

  @Test
  void theLastWriterWaitsForNobodyBeforeItsTasks() throws Exception {
    lake.settings = lake.settings.with(ConflictPolicy.LAST_WRITER);
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    CommitRequest request = lake.request(CommitKind.DYNAMIC);
    assertThat(millisOf(() -> lake.table().begin(request))).isZero();
    assertThat(active()).isEqualTo(1);
  }

  @Test
  void aDeadRunUnderTheSameTokenIsFinishedAndNotDoneAgain() throws Exception {
    CommitRequest first =
        new CommitRequest(
            CommitNames.id("commit-first"), CommitKind.STATIC, List.of("dt=2"), "night-1", "");
    WriteTransaction dead = lake.dyingAt(Step.VERIFY).begin(first);
    Ledger ledger = Lake.ledger(lake.upload(dead, List.of("dt=2")));
    assertThatThrownBy(() -> dead.commit(ledger)).isInstanceOf(Lake.Died.class);
    CommitRequest again =
        new CommitRequest(
            CommitNames.id("commit-again"), CommitKind.STATIC, List.of("dt=2"), "night-1", "");
    WriteTransaction job = lake.table().begin(again);
    assertThat(active()).isZero();
    assertThat(job.commit(Lake.ledger(lake.upload(job, List.of("dt=2")))).by())
        .isEqualTo(dead.id());
    assertThat(lake.writers()).containsExactly("dt=2/commit-first");
  }

  @Test
  void theNextAppendFinishesADeadAppend() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=1");
    lake.clock.advance(lake.settings.leaseMillis());
    lake.table().begin(lake.request(CommitKind.APPEND));
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
    assertThat(active()).isZero();
  }

  @Test
  void deadCommitsThatHaveToBeTakenBackWaitTogether() throws Exception {
    for (int i = 0; i < 20; i++) {
      lake.unfinished(Step.PLAN, CommitKind.APPEND, "dt=" + i);
    }
    for (HeldUpload upload : List.copyOf(lake.store.openUploads())) {
      lake.store.abort(upload.at(), upload.uploadId());
    }
    lake.clock.advance(HOUR_MILLIS);
    CommitRequest request = lake.request(CommitKind.DYNAMIC);
    assertThat(millisOf(() -> lake.table().begin(request)))
        .isBetween(lake.settings.drainMillis(), lake.settings.drainMillis() + 60_000);
    assertThat(active()).isZero();
    assertThat(lake.files()).isEmpty();
  }

  @Test
  void aLostFileLeavesTheOthersOfItsCommitInvisible() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=1", "dt=2", "dt=3");
    HeldUpload first = lake.store.openUploads().get(0);
    lake.store.abort(first.at(), first.uploadId());
    Set<String> seen = new TreeSet<>();
    lake.clock.onAdvance(now -> seen.addAll(lake.files()));
    lake.table().recover();
    assertThat(active()).isZero();
    assertThat(seen).isEmpty();
  }

  @Test
  void aRollbackGoesOverWhatADeadDriverLeft() throws Exception {
    Lake snapshots = new Lake(Readers.SNAPSHOT);
    long first = snapshots.commit(CommitKind.DYNAMIC, "dt=1").version();
    snapshots.unfinished(Step.PUBLISH, CommitKind.DYNAMIC, "dt=1");
    assertThat(snapshots.table().rollback(first).version()).isEqualTo(first + 2);
    assertThat(snapshots.table().head().orElseThrow().active()).isEmpty();
  }
}
