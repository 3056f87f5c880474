package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Jobs, paused drivers and recoverers, interleaved at random. {@code -Dschedules=N} says how many,
 * {@code -Dseed=S} where they begin. {@code make replay SEED=S} runs one of them again, call for
 * call, and prints its trace.
 */
@Tag("sim")
class RandomSchedulesTest {
  /**
   * Twice the cores: the threads of one schedule run in turn, and wait while they change places.
   */
  private static final int WORKERS = 4;

  private static final long PROGRESS_EVERY = 500_000;

  /** A run of millions takes longer than the timeout of other tests. */
  @Test
  @Timeout(value = 6, unit = TimeUnit.HOURS)
  void noScheduleLosesOrDoublesARow() throws InterruptedException {
    long schedules = Long.getLong("schedules", 20_000);
    long first = Long.getLong("seed", System.nanoTime());
    ConcurrentLinkedQueue<Long> violations = new ConcurrentLinkedQueue<>();
    AtomicLong next = new AtomicLong(first);
    long startedMillis = System.currentTimeMillis();
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < Math.min(WORKERS, schedules); i++) {
      Thread worker = new Thread(() -> work(next, first + schedules, violations));
      worker.start();
      workers.add(worker);
    }
    for (Thread worker : workers) {
      worker.join();
    }
    System.out.printf(
        "random schedules from seed %d: %,d schedules, %d violations, %.0f s%n",
        first, schedules, violations.size(), (System.currentTimeMillis() - startedMillis) / 1000.0);
    if (schedules == 1) {
      replay(first);
    } else {
      violations.stream().limit(3).forEach(RandomSchedulesTest::replay);
    }
    assertThat(violations)
        .as("seeds that violate an invariant; to run them again: %s", commands(violations))
        .isEmpty();
  }

  private static String commands(Collection<Long> seeds) {
    return seeds.stream()
        .limit(3)
        .map(RandomSchedulesTest::command)
        .collect(Collectors.joining("; "));
  }

  private static String command(long seed) {
    return "make replay SEED=" + seed;
  }

  private static void work(AtomicLong next, long end, ConcurrentLinkedQueue<Long> violations) {
    ExecutorService threads = threads();
    for (long seed = next.getAndIncrement(); seed < end; seed = next.getAndIncrement()) {
      try {
        new RandomSchedule(seed, null).run(threads);
      } catch (Throwable e) {
        // Also any other Error: a worker that ends would leave its schedules out.
        violations.add(seed);
      }
      if ((seed + 1) % PROGRESS_EVERY == 0) {
        System.out.printf("… seed %,d, %d violations%n", seed + 1, violations.size());
      }
      if (violations.size() > 20) {
        break;
      }
    }
    threads.shutdownNow();
  }

  static ExecutorService threads() {
    return Executors.newCachedThreadPool(
        body -> {
          Thread thread = new Thread(body, "simulated process");
          thread.setDaemon(true);
          return thread;
        });
  }

  private static void replay(long seed) {
    List<String> trace = new ArrayList<>();
    String how = "no violation";
    ExecutorService threads = threads();
    try {
      new RandomSchedule(seed, trace::add).run(threads);
    } catch (Throwable e) {
      how = e.toString();
    }
    threads.shutdownNow();
    System.out.println("seed " + seed + ": " + how);
    trace.forEach(line -> System.out.println("  " + line));
    System.out.println("to run it again: " + command(seed));
  }
}
