package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.Table;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A commit shows that it is alive. Others wait for a living commit and soon finish a dead one. */
class HeartbeatTest {
  private static final long BEAT = 2_000;
  private static final long DEATH_IS_KNOWN = 4 * BEAT;
  private static final long ROUNDING = 1_000;

  private final TestTable table = new TestTable();

  @BeforeEach
  void settings() {
    table.configure(it -> it.heartbeatMillis(BEAT));
  }

  private long millisToBegin(CommitKind kind) throws Exception {
    long before = table.clock.tickMillis();
    table.open().begin(table.request(kind));
    return table.clock.tickMillis() - before;
  }

  private int unfinished() throws Exception {
    return table.head().active().size();
  }

  @Test
  void aJobThatIsRestartedAtOnceWaitsForFourHeartbeats() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");

    assertThat(millisToBegin(CommitKind.DYNAMIC)).isBetween(DEATH_IS_KNOWN, DEATH_IS_KNOWN + 1_000);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(unfinished()).isZero();
  }

  /** The heartbeat of the dead process is closed by hand: in a test its timer would go on. */
  @Test
  void aCommitIsDeadFourHeartbeatsAfterItsLastOne() throws Exception {
    CommitId dead = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    beatUntil(dead, 5 * BEAT);

    assertThat(millisToBegin(CommitKind.DYNAMIC)).isBetween(DEATH_IS_KNOWN, DEATH_IS_KNOWN + 1_000);
    assertThat(unfinished()).isZero();
  }

  @Test
  void aJobThatIsRestartedLaterDoesNotWaitAgain() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(DEATH_IS_KNOWN + ROUNDING);

    assertThat(millisToBegin(CommitKind.DYNAMIC)).isLessThan(BEAT);
    assertThat(unfinished()).isZero();
  }

  @Test
  void theTimeSinceTheLastHeartbeatCountsForARestartedJob() throws Exception {
    CommitId dead = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    beatUntil(dead, 5 * BEAT);
    table.clock.advance(DEATH_IS_KNOWN / 2 + ROUNDING);

    assertThat(millisToBegin(CommitKind.DYNAMIC))
        .isBetween(DEATH_IS_KNOWN / 2, DEATH_IS_KNOWN / 2 + 1_000);
    assertThat(unfinished()).isZero();
  }

  /** A long commit is not dead because its reservation is old. */
  @Test
  void theAgeOfACommitDoesNotCount() throws Exception {
    CommitId living = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    beatUntil(living, 10 * BEAT);

    assertThat(millisToBegin(CommitKind.DYNAMIC)).isGreaterThanOrEqualTo(DEATH_IS_KNOWN);
  }

  /** Where a store does not tell its time, or another commit wrote the head, the wait is whole. */
  @Test
  void aCommitOfUnknownAgeIsWatchedForFourHeartbeats() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(DEATH_IS_KNOWN + ROUNDING);
    table.commit(CommitKind.APPEND, "dt=2");

    assertThat(millisToBegin(CommitKind.DYNAMIC)).isGreaterThanOrEqualTo(DEATH_IS_KNOWN);
    assertThat(unfinished()).isZero();
  }

  /** Hadoop 3.3's SDK does not show the date of an answer, so no age is known. */
  @Test
  void aRestartedJobBeginsWithinTenSecondsWhereTheStoreShowsNoDate() throws Exception {
    CommitId dead = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    beatUntil(dead, 5 * BEAT);
    ObjectStore dateless =
        new InterceptingStore(table.counted) {
          @Override
          public Optional<ListedObject> head(Location at) throws StoreException {
            return super.head(at)
                .map(
                    it ->
                        new ListedObject(
                            it.key(),
                            it.bytes(),
                            it.etag(),
                            it.modifiedMillis(),
                            ListedObject.UNKNOWN_AGE));
          }
        };
    long crash = table.clock.tickMillis();
    table.through(dateless).begin(table.request(CommitKind.DYNAMIC));

    assertThat(table.clock.tickMillis() - crash).isBetween(DEATH_IS_KNOWN, 10_000L);
    assertThat(unfinished()).isZero();
  }

  private void beatUntil(CommitId commit, long millis) throws Exception {
    Heartbeat heartbeat = Heartbeat.start(table.context(), commit);
    table.clock.advance(millis);
    heartbeat.close();
  }

  @Test
  void aCommitWithAHeartbeatIsAwaitedAndNeverTakenOver() throws Exception {
    CommitId living = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    Heartbeat heartbeat = Heartbeat.start(table.context(), living);
    long minutes = 10 * 60_000;
    List<Integer> before = new ArrayList<>();
    table.clock.onAdvance(
        now -> {
          if (now >= minutes && before.isEmpty()) {
            before.add(completes());
            heartbeat.close();
          }
        });

    assertThat(millisToBegin(CommitKind.DYNAMIC)).isBetween(minutes, minutes + 15_000);
    assertThat(before).containsExactly(0);
    assertThat(completes()).isEqualTo(1);
  }

  private int completes() {
    return table.counted.counts().getOrDefault(Request.COMPLETE, 0L).intValue();
  }

  @Test
  void oneOfSeveralProcessesTakesOverADeadCommit() throws Exception {
    CommitId dead = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    TableContext context = table.context();
    Heartbeat.start(context, dead).close();

    assertThat(Heartbeat.takeOver(context, dead, "")).isTrue();
    for (int i = 0; i < 4; i++) {
      assertThat(Heartbeat.takeOver(context, dead, "")).isFalse();
    }
  }

  @Test
  void aSmallCommitSendsNoRequestForItsHeartbeat() throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1");
    Map<Request, Long> with = table.counted.counts();
    TestTable silent = new TestTable();
    silent.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(with).isEqualTo(silent.counted.counts());
  }

  @Test
  void aLongCommitRemovesItsHeartbeatAtTheEnd() throws Exception {
    OnceBefore slow =
        new OnceBefore(
            StoreCall.COMPLETE,
            () -> {
              table.clock.advance(3 * BEAT);
              assertThat(heartbeats()).hasSize(1);
            });
    TestJob job = table.job(table.before(slow), CommitKind.DYNAMIC, "dt=1");
    job.commit();

    assertThat(slow.happened()).isTrue();
    assertThat(heartbeats()).isEmpty();
  }

  private List<String> heartbeats() {
    return table.store.objects().keySet().stream()
        .map(Location::key)
        .filter(key -> key.endsWith("heartbeat.json"))
        .toList();
  }

  @Test
  void aHeartbeatThatCannotBeWrittenFailsNoCommit() throws Exception {
    List<Location> missed = new ArrayList<>();
    boolean[] completing = {false};
    Table refused =
        table.before(
            (call, at) -> {
              if (call == StoreCall.COMPLETE) {
                completing[0] = true;
                table.clock.advance(3 * BEAT);
                completing[0] = false;
              } else if (call == StoreCall.PUT && completing[0]) {
                missed.add(at);
                throw new StoreException(StoreException.Kind.UNKNOWN, "no answer");
              }
            });
    TestJob job = table.job(refused, CommitKind.DYNAMIC, "dt=1");
    job.commit();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(missed).isNotEmpty();
  }
}
