package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.conflict.Heartbeat;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A commit shows that it is alive; others wait for a living one and finish a dead one soon. */
class HeartbeatTest {
  private static final long BEAT = 2_000;
  private static final long DEATH_IS_KNOWN = 4 * BEAT;

  private final Lake lake = new Lake();

  @BeforeEach
  void settings() {
    lake.settings = lake.settings.change().heartbeatMillis(BEAT).done();
  }

  private long millisToBegin(CommitKind kind) throws Exception {
    long before = lake.clock.tickMillis();
    lake.table().begin(lake.request(kind));
    return lake.clock.tickMillis() - before;
  }

  private TableContext context() {
    return new TableContext(
        lake.ports(), lake.paths, lake.settings, new Meter(lake.clock, Progress.SILENT));
  }

  private int unfinished() throws Exception {
    return lake.table().head().orElseThrow().active().size();
  }

  @Test
  void aJobThatIsRestartedAtOnceWaitsForFourBeats() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");

    assertThat(millisToBegin(CommitKind.DYNAMIC)).isBetween(DEATH_IS_KNOWN, DEATH_IS_KNOWN + 1_000);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
    assertThat(unfinished()).isZero();
  }

  /** The timer of a process that died stays in the clock of a test; that of a real one ends. */
  @Test
  void aCommitThatBeatIsKnownToBeDeadFourBeatsAfterItsLastOne() throws Exception {
    CommitId dead = lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    Heartbeat heartbeat = Heartbeat.start(context(), dead);
    lake.clock.advance(5 * BEAT);
    heartbeat.close();

    assertThat(millisToBegin(CommitKind.DYNAMIC)).isBetween(DEATH_IS_KNOWN, DEATH_IS_KNOWN + 1_000);
    assertThat(unfinished()).isZero();
  }

  @Test
  void aLivingCommitIsWaitedForAsLongAsItTakesAndHelpedByNobody() throws Exception {
    CommitId living = lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    Heartbeat heartbeat = Heartbeat.start(context(), living);
    long minutes = 10 * 60_000;
    List<Integer> before = new ArrayList<>();
    lake.clock.onAdvance(
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
    return lake.counted.counts().getOrDefault(Request.COMPLETE, 0L).intValue();
  }

  @Test
  void ofSeveralThatSeeADeadCommitOneTakesItOver() throws Exception {
    CommitId dead = lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    TableContext context = context();
    Heartbeat.start(context, dead).close();

    assertThat(Heartbeat.take(context, dead, "")).isTrue();
    for (int i = 0; i < 4; i++) {
      assertThat(Heartbeat.take(context, dead, "")).isFalse();
    }
  }

  @Test
  void aSmallCommitAsksForNothingMore() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    Map<Request, Long> with = lake.counted.counts();
    Lake silent = new Lake();
    silent.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(with).isEqualTo(silent.counted.counts());
  }

  @Test
  void aLongCommitRemovesItsHeartbeatAtTheEnd() throws Exception {
    boolean[] slept = {false};
    ObjectStore slow =
        lake.turning(
            call -> {
              if (call.equals("complete") && !slept[0]) {
                slept[0] = true;
                lake.clock.advance(3 * BEAT);
                assertThat(heartbeats()).hasSize(1);
              }
            });
    WriteTransaction job = lake.through(slow).begin(lake.request(CommitKind.DYNAMIC));
    job.commit(Lake.ledger(lake.upload(job, List.of("dt=1"))));

    assertThat(slept[0]).isTrue();
    assertThat(heartbeats()).isEmpty();
  }

  private List<String> heartbeats() {
    return lake.store.objects().keySet().stream()
        .map(Location::key)
        .filter(key -> key.endsWith("heartbeat.json"))
        .toList();
  }

  @Test
  void aHeartbeatThatCannotBeWrittenFailsNoCommit() throws Exception {
    List<String> missed = new ArrayList<>();
    boolean[] completing = {false};
    ObjectStore refusing =
        lake.turning(
            call -> {
              if (call.equals("complete")) {
                completing[0] = true;
                lake.clock.advance(3 * BEAT);
                completing[0] = false;
              } else if (call.equals("put") && completing[0]) {
                missed.add(call);
                throw new StoreException(StoreException.Kind.UNKNOWN, "no answer");
              }
            });
    WriteTransaction job = lake.through(refusing).begin(lake.request(CommitKind.DYNAMIC));
    job.commit(Lake.ledger(lake.upload(job, List.of("dt=1"))));
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
    assertThat(missed).isNotEmpty();
  }
}
