package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Crowds of writers in virtual time. {@code -Dcrowds=N} says how many, {@code -Dseed=S} where they
 * begin. {@code make replay-crowd SEED=S} runs one of them again and prints its trace.
 */
@Tag("sim")
class CrowdTest {
  private static final int WORKERS = 2;

  /** Only crowds of this kind; any when it is not set. */
  private static final CrowdPlan.Recipe RECIPE =
      Optional.ofNullable(System.getProperty("recipe"))
          .filter(name -> !name.isEmpty())
          .map(CrowdPlan.Recipe::valueOf)
          .orElse(null);

  @Test
  @Timeout(value = 6, unit = TimeUnit.HOURS)
  void noCrowdBreaksARule() throws InterruptedException {
    long crowds = Long.getLong("crowds", 300);
    long first = Long.getLong("seed", System.nanoTime());
    ConcurrentLinkedQueue<Long> violations = new ConcurrentLinkedQueue<>();
    Map<CrowdPlan.Recipe, AtomicLong> commits = new EnumMap<>(CrowdPlan.Recipe.class);
    for (CrowdPlan.Recipe recipe : CrowdPlan.Recipe.values()) {
      commits.put(recipe, new AtomicLong());
    }
    AtomicLong next = new AtomicLong(first);
    long startedMillis = System.currentTimeMillis();
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < Math.min(WORKERS, crowds); i++) {
      Thread worker = new Thread(() -> work(next, first + crowds, violations, commits));
      worker.start();
      workers.add(worker);
    }
    for (Thread worker : workers) {
      worker.join();
    }
    System.out.printf(
        "crowds from seed %d: %,d crowds, published commits %s, %d violations, %.0f s%n",
        first,
        crowds,
        commits,
        violations.size(),
        (System.currentTimeMillis() - startedMillis) / 1000.0);
    if (crowds == 1) {
      replay(first);
    }
    violations.stream().limit(3).forEach(CrowdTest::replay);
    assertThat(violations)
        .as("seeds that break a rule; to run one again: make replay-crowd SEED=…")
        .isEmpty();
  }

  private static void work(
      AtomicLong next,
      long end,
      ConcurrentLinkedQueue<Long> violations,
      Map<CrowdPlan.Recipe, AtomicLong> commits) {
    ExecutorService threads = Executors.newCachedThreadPool();
    for (long seed = next.getAndIncrement(); seed < end; seed = next.getAndIncrement()) {
      CrowdSchedule crowd = new CrowdSchedule(seed, CrowdMutant.CONTROL, RECIPE, null);
      try {
        crowd.run(threads);
      } catch (Throwable e) {
        // Also any other Error: a worker that ends would leave its crowds out.
        violations.add(seed);
        System.out.printf("seed %d, %s: %s%n", seed, crowd.plan().recipe(), e);
      }
      commits.get(crowd.plan().recipe()).addAndGet(crowd.commits());
      if (violations.size() > 20) {
        break;
      }
    }
    threads.shutdownNow();
  }

  private static void replay(long seed) {
    List<String> trace = new ArrayList<>();
    String how = "no violation";
    ExecutorService threads = Executors.newCachedThreadPool();
    CrowdSchedule crowd = new CrowdSchedule(seed, CrowdMutant.CONTROL, RECIPE, trace::add);
    try {
      crowd.run(threads);
    } catch (Throwable e) {
      how = e.toString();
    }
    threads.shutdownNow();
    System.out.println("seed " + seed + ", " + crowd.plan() + ": " + how);
    trace.forEach(line -> System.out.println("  " + line));
    String recipe = RECIPE == null ? "" : " RECIPE=" + RECIPE;
    System.out.println("to run it again: make replay-crowd SEED=" + seed + recipe);
  }
}
