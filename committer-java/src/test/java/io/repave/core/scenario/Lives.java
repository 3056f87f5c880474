package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.List;
import java.util.function.LongFunction;

/** Runs random lives. {@code -Dlives=N -Dseed=S} says how many, and which is the first. */
final class Lives {
  private Lives() {}

  /** One life. */
  interface Run {
    void run() throws Exception;

    /** What was done. */
    List<String> trace();
  }

  static void run(String kind, long count, LongFunction<Run> lives) {
    long first = Long.getLong("seed", 1);
    long wanted = Long.getLong("lives", count);
    long started = System.currentTimeMillis();
    long steps = 0;
    for (long seed = first; seed < first + wanted; seed++) {
      Run life = lives.apply(seed);
      assertThatCode(life::run)
          .as(
              "seed %d (to run it again: make sim-lives LIFE_OF=%s LIVES=1 SEED=%d), which did %s",
              seed, kind, seed, String.join("\n  ", life.trace()))
          .doesNotThrowAnyException();
      steps += life.trace().size();
    }
    System.out.printf(
        "%s: %,d lives from seed %d, %,d steps, %.0f s%n",
        kind, wanted, first, steps, (System.currentTimeMillis() - started) / 1000.0);
  }
}
