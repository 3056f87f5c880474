package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random lives of a snapshot table: commits, rollbacks, vacuums that end the history, and followers
 * happen inside each other. {@code -Dlives=N -Dseed=S} says how many, and which is the first.
 */
@Tag("sim")
class SnapshotLifeTest {
  private static final long LIVES = Long.getLong("lives", 150);

  @Test
  void everyReadableVersionHasItsFilesWhateverHappensInsideARequest() {
    long first = Long.getLong("seed", 1);
    for (long seed = first; seed < first + LIVES; seed++) {
      SnapshotLife life = new SnapshotLife(seed);
      assertThatCode(life::run)
          .as("seed %d (to run it again: -Dlives=1 -Dseed=…), which did %s", seed, life.trace())
          .doesNotThrowAnyException();
    }
  }
}
