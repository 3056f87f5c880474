package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.Readers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Long lives of one table: three writers, deaths, freezes, tokens that come back, and a vacuum with
 * a history retention every dozen commits. {@code -Dlife=N} says how many jobs each life has.
 */
@Tag("sim")
class CrowdLifeTest {
  private static final int TRACE_LINES = 2_000;

  @ParameterizedTest
  @EnumSource(Readers.class)
  @Timeout(value = 6, unit = TimeUnit.HOURS)
  void noRowIsLostInALongLife(Readers readers) {
    long seed = Long.getLong("seed", 1);
    CrowdSchedule life = life(seed, null);
    while (life.plan().readers() != readers) {
      life = life(++seed, null);
    }
    long startedMillis = System.currentTimeMillis();
    Violation violation = violation(life);
    System.out.printf(
        "a life of a %s table from seed %d: %,d versions, %,d deaths of drivers, %,d vacuums, history"
            + " from %,d, %.0f s%n",
        readers,
        seed,
        life.commits(),
        life.deaths(),
        life.vacuums(),
        life.historyFrom(),
        (System.currentTimeMillis() - startedMillis) / 1000.0);
    if (violation != null) {
      List<String> trace = new ArrayList<>();
      System.out.println("seed " + seed + ": " + violation(life(seed, trace)).getMessage());
      trace
          .subList(Math.max(0, trace.size() - TRACE_LINES), trace.size())
          .forEach(line -> System.out.println("  " + line));
    }
    assertThat(violation)
        .as("to run it again: make sim-life SIM_LIFE=%d SEED=%d", CrowdPlan.LIFE, seed)
        .isNull();
    assertThat(life.commits()).isGreaterThan(CrowdPlan.LIFE / 4);
    assertThat(life.deaths()).isGreaterThan(CrowdPlan.LIFE / 100);
    assertThat(life.vacuums()).isGreaterThan(CrowdPlan.LIFE / 24);
    assertThat(life.historyFrom()).isGreaterThan(life.commits() / 2);
  }

  private static CrowdSchedule life(long seed, List<String> trace) {
    return new CrowdSchedule(
        seed, CrowdMutant.CONTROL, CrowdPlan.Recipe.LIFE, trace == null ? null : trace::add);
  }

  private static Violation violation(CrowdSchedule life) {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      life.run(threads);
      return null;
    } catch (Violation e) {
      return e;
    } finally {
      threads.shutdownNow();
    }
  }
}
