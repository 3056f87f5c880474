package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.LongStream;
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
   * In the other crowds version 0.1 breaks rules that it does not have yet, also without others.
   */
  private static final List<CrowdPlan.Recipe> RECIPES =
      List.of(CrowdPlan.Recipe.MIXED, CrowdPlan.Recipe.APPENDS, CrowdPlan.Recipe.LIFE);

  private static final MixedVersions BOTH =
      new MixedVersions(List.of(Protocol.REAL, new EarlierVersion(CLASSES)));

  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          body -> {
            Thread thread = new Thread(body, "simulated process");
            thread.setDaemon(true);
            return thread;
          });

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
          CrowdSchedule crowd = new CrowdSchedule(seed, CrowdMutant.CONTROL, recipe, trace);
          crowd.running(BOTH).run(threads);
          commits.addAndGet(crowd.commits());
          vacuums.addAndGet(crowd.vacuums());
        });
    System.out.printf("crowds of both versions: %s commits, %s vacuums%n", commits, vacuums);
  }

  @Test
  void bothVersionsReadAllVersionsOfALifeAlike() {
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

  /** The checks are able to fail: a version that breaks a rule is caught beside this one. */
  @Test
  void aVersionThatRevertsUnrecordedIsCaught() {
    MixedVersions broken = new MixedVersions(List.of(Protocol.REAL, Mutant.REVERTS_UNRECORDED));
    long violations =
        LongStream.range(0, 3_000)
            .filter(seed -> violates(() -> new RandomSchedule(seed, broken, null).run(threads)))
            .limit(1)
            .count();
    threads.shutdownNow();
    assertThat(violations).isOne();
  }

  private static boolean violates(Runnable body) {
    try {
      body.run();
      return false;
    } catch (Violation caught) {
      return true;
    }
  }

  /** One run, which its seed decides. */
  private interface Body {
    void run(long seed, Consumer<String> trace);
  }

  private void each(int count, String what, Body body) {
    List<Long> violations = new ArrayList<>();
    long startedMillis = System.currentTimeMillis();
    for (long seed = SEED; seed < SEED + count && violations.size() < 20; seed++) {
      int known = violations.size();
      violation(body, seed, null, violations);
      if (known == 0 && !violations.isEmpty()) {
        List<String> trace = new ArrayList<>();
        violation(body, seed, trace::add, new ArrayList<>());
        trace.forEach(line -> System.out.println("  " + line));
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

  private static void violation(Body body, long seed, Consumer<String> trace, List<Long> to) {
    try {
      body.run(seed, trace);
    } catch (RuntimeException e) {
      to.add(seed);
      System.out.println("seed " + seed + ": " + e);
    }
  }
}
