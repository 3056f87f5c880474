package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * This version and an earlier one write to one table. {@code make sim-versions EARLIER=…} builds
 * the earlier one from its commit. Otherwise it is this version with a class loader of its own, so
 * that the way between the two is always tested.
 */
@Tag("sim")
@Timeout(value = 6, unit = TimeUnit.HOURS)
class EarlierVersionTest {
  private static final Path CLASSES =
      Optional.ofNullable(System.getProperty("earlier"))
          .map(Path::of)
          .orElseGet(() -> Path.of(System.getProperty("repave.basedir"), "target", "classes"));
  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final int STEPS = 25;

  /** How often each test runs what one {@code make test} runs. */
  private static final int ROUNDS = Integer.getInteger("mixed", 1);

  /**
   * In the other crowds version 0.1 breaks rules that it does not have yet, also when it is alone.
   */
  private static final List<CrowdPlan.Recipe> RECIPES =
      List.of(CrowdPlan.Recipe.MIXED, CrowdPlan.Recipe.APPENDS, CrowdPlan.Recipe.LIFE);

  private static final MixedVersions BOTH =
      new MixedVersions(List.of(Protocol.REAL, new EarlierVersion(CLASSES)));

  private final ExecutorService threads = RandomSchedulesTest.threads();

  @Test
  void noScheduleOfBothVersionsLosesOrDoublesARow() {
    each(
        300 * ROUNDS,
        "random schedules",
        (seed, trace) -> new RandomSchedule(seed, BOTH, trace).run(threads));
  }

  @Test
  void noCrowdOfBothVersionsBreaksARule() {
    AtomicLong commits = new AtomicLong();
    AtomicLong vacuums = new AtomicLong();
    each(
        10 * ROUNDS,
        "crowds",
        (seed, trace) -> {
          CrowdPlan.Recipe recipe =
              BOTH.includesVersion01() ? RECIPES.get(Math.floorMod(seed, RECIPES.size())) : null;
          CrowdSchedule crowd = new CrowdSchedule(seed, BOTH, recipe, trace);
          crowd.run(threads);
          commits.addAndGet(crowd.commits());
          vacuums.addAndGet(crowd.vacuums());
        });
    System.out.printf("crowds of both versions: %s commits, %s vacuums%n", commits, vacuums);
  }

  @Test
  void bothEnginesReadTheVersionsOfALifeAlike() {
    AtomicLong versions = new AtomicLong();
    AtomicLong deaths = new AtomicLong();
    AtomicLong refusals = new AtomicLong();
    each(
        3 * ROUNDS,
        "lives",
        (seed, trace) -> {
          MixedLife life = new MixedLife(seed, BOTH, trace);
          life.run(STEPS);
          versions.addAndGet(life.versions());
          deaths.addAndGet(life.deaths());
          refusals.addAndGet(life.refusals());
        });
    System.out.printf(
        "lives of both versions: %s versions, %s deaths, %s refusals of a newer head%n",
        versions, deaths, refusals);
  }

  /** One run, which its seed decides. */
  private interface Body {
    void run(long seed, Consumer<String> trace);
  }

  private void each(int count, String what, Body body) {
    List<Long> violations = new ArrayList<>();
    long startedMillis = System.currentTimeMillis();
    for (long seed = SEED; seed < SEED + count && violations.size() < 20; seed++) {
      if (violates(body, seed, null)) {
        if (violations.isEmpty()) {
          List<String> trace = new ArrayList<>();
          violates(body, seed, trace::add);
          trace.forEach(line -> System.out.println("  " + line));
        }
        violations.add(seed);
      }
    }
    threads.shutdownNow();
    System.out.printf(
        "%s of both versions from seed %d: %,d, %d violations, %.0f s%n",
        what,
        SEED,
        count,
        violations.size(),
        (System.currentTimeMillis() - startedMillis) / 1000.0);
    assertThat(violations)
        .as("seeds that break a rule; the first is run again by SEED=… with its trace")
        .isEmpty();
  }

  private static boolean violates(Body body, long seed, Consumer<String> trace) {
    try {
      body.run(seed, trace);
      return false;
    } catch (RuntimeException | Violation e) {
      System.out.println("seed " + seed + ": " + e);
      return true;
    }
  }
}
