package io.repave.hadoop.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.hadoop.faults.Trial.Outcome;
import io.repave.testing.EmbeddedS3;
import io.repave.testing.LabProxy;
import io.repave.testing.LabProxy.Sent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.s3a.impl.AWSClientConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Commits through S3A's own client, while the proxy fails requests of every kind. Each commit
 * succeeds, or fails and publishes nothing, or is unknown and then settled by {@code recover()}.
 * {@code -Dcommits=N} for each mode, {@code -Dseed=S}, {@code -Dmodes=LOST,LATE}. The seed
 * determines what the jobs do and what the proxy draws, but not the order in which requests of
 * concurrent jobs arrive.
 */
@Tag("http")
class FaultsHttpTest {
  /** Waits dominate, so many commits run at once, each on its own table. */
  private static final int AT_ONCE = 24;

  /** With so many commits for each mode, faults meet the rare kinds of calls too. */
  private static final int ENOUGH_FOR_ALL = 100;

  /** The number for each run of all tests. */
  private static final int USUAL = 16;

  private static final long SEED = Long.getLong("seed", System.nanoTime() % 1_000_000);

  /** Those that {@code -Dserver} names. Not moto in each run, because it takes minutes. */
  static List<String> servers() {
    return List.of(System.getProperty("server", "ministack").split(","));
  }

  private static List<Mode> modes() {
    String named = System.getProperty("modes", "");
    return named.isEmpty()
        ? List.of(Mode.values())
        : Arrays.stream(named.split(",")).map(Mode::valueOf).toList();
  }

  @BeforeAll
  static void allowShortTimeouts() {
    // S3A raises values below 15 s.
    AWSClientConfig.setMinimumOperationDuration(Duration.ZERO);
  }

  @AfterAll
  static void forbidShortTimeouts() {
    AWSClientConfig.resetMinimumOperationDuration();
  }

  /** Two hundred commits for each mode take longer than any other test may. */
  @ParameterizedTest
  @MethodSource("servers")
  @Timeout(value = 3, unit = TimeUnit.HOURS)
  void everyCommitEndsRightOrFailedCleanOrRecoverable(String name) throws Exception {
    int commits = Integer.getInteger("commits", USUAL);
    Tally tally =
        new Tally(
            System.out, "%s: %d commits for each mode, seed %d".formatted(name, commits, SEED));
    List<String> wrong = new ArrayList<>();
    try (EmbeddedS3 server = EmbeddedS3.start(name);
        LabProxy proxy = LabProxy.before(server)) {
      for (Mode mode : modes()) {
        proxy.reset(SEED);
        proxy.faults(mode.faults());
        Lane lane = new Lane(name, server, proxy, mode);
        long started = System.nanoTime();
        List<Outcome> outcomes = run(lane, mode, commits, wrong);
        tally.add(mode, outcomes, proxy.hits(), System.nanoTime() - started);
        if (mode != Mode.BUSY_5) {
          // Of a few commits, one in twenty requests may be none.
          assertThat(proxy.hits().stream().mapToLong(Long::longValue).sum())
              .as("requests that were hit, in %s", mode)
              .isPositive();
        }
        assertThat(proxy.journal().stream().map(Sent::bucket).distinct())
            .as("buckets whose requests could fail, in %s", mode)
            .containsAll(lane.buckets());
        FileSystem.closeAll();
      }
    }
    List<String> unhit = tally.unhit();
    assertThat(wrong)
        .as("commits that ended wrong; again: make faults COMMITS=%d SEED=%d", commits, SEED)
        .isEmpty();
    if (commits >= ENOUGH_FOR_ALL && modes().size() == Mode.values().length) {
      assertThat(unhit).as("kinds of calls that no fault hit").isEmpty();
    }
  }

  private static List<Outcome> run(Lane lane, Mode mode, int commits, List<String> wrong)
      throws IOException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    List<Future<Outcome>> running = new ArrayList<>();
    List<Trial> trials = new ArrayList<>();
    for (int number = 0; number < commits; number++) {
      // moto has no lock, so a probe of its conditions may fail, and rightly so.
      boolean probes = lane.isLocked();
      Trial trial = new Trial(lane, mode, number, SEED, probes);
      trials.add(trial);
      running.add(threads.submit(trial::run));
    }
    List<Outcome> outcomes = new ArrayList<>();
    for (int number = 0; number < commits; number++) {
      outcomes.add(outcome(running.get(number), mode, wrong));
      if (!trials.get(number).wrong().isEmpty()) {
        wrong.add(mode + ", " + trials.get(number).wrong());
      }
    }
    threads.shutdown();
    return outcomes;
  }

  private static Outcome outcome(Future<Outcome> running, Mode mode, List<String> wrong)
      throws InterruptedException {
    try {
      return running.get();
    } catch (ExecutionException e) {
      wrong.add(mode + " stopped with " + e.getCause());
      e.getCause().printStackTrace();
      return Outcome.WRONG;
    }
  }
}
