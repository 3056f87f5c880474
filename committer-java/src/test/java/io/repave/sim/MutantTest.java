package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the checker itself: random schedules must catch every broken protocol. */
@Tag("sim")
@Execution(ExecutionMode.CONCURRENT)
class MutantTest {
  private static final long SEEDS = 40_000;
  private static final long CONTROL_SEEDS = 5_000;

  @ParameterizedTest
  @EnumSource(
      names = {"CONTROL", "IGNORES_HEAD_SPACE"},
      mode = EnumSource.Mode.EXCLUDE)
  void everyMutantIsCaught(Mutant mutant) {
    Caught caught = firstCaught(mutant, SEEDS);
    assertThat(caught).as("%s survived %,d schedules", mutant, SEEDS).isNotNull();
    System.out.printf("%s: caught at seed %d: %s%n", mutant, caught.seed, caught.why);
  }

  @Test
  void theCorrectProtocolBuiltFromTheSamePartsIsNotCaught() {
    assertThat(firstCaught(Mutant.CONTROL, CONTROL_SEEDS))
        .as("the first violation; the seeds are the same in each run of MutantTest")
        .isNull();
  }

  @Test
  void aMutantBesideTheEngineIsCaught() {
    MixedVersions mixed = new MixedVersions(List.of(Protocol.REAL, Mutant.REVERTS_UNRECORDED));
    assertThat(firstCaught(mixed, 3_000)).isNotNull();
  }

  private record Caught(long seed, String why) {}

  private static Caught firstCaught(Protocol mutant, long seeds) {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      for (long seed = 1; seed <= seeds; seed++) {
        try {
          new RandomSchedule(seed, mutant, null).run(threads);
        } catch (Violation e) {
          return new Caught(seed, e.getMessage());
        }
      }
      return null;
    } finally {
      threads.shutdownNow();
    }
  }
}
