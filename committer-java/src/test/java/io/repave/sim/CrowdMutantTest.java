package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the rules of the crowds: random crowds must catch every broken protocol. */
@Tag("sim")
class CrowdMutantTest {
  private static final long SEEDS = Long.getLong("mutant.crowds", 400);

  /** The two others take too many large crowds: OvertakenCommitTest and HeadSpaceTest have them. */
  @ParameterizedTest
  @EnumSource(
      names = {"CONTROL", "YIELDS_FOR_EVER", "HEAD_WITHOUT_LIMIT"},
      mode = EnumSource.Mode.EXCLUDE)
  void everyMutantIsCaught(CrowdMutant mutant) {
    ExecutorService threads = Executors.newCachedThreadPool();
    List<CrowdPlan.Recipe> recipes = mutant.recipes();
    String caught = null;
    for (long seed = 1; seed <= SEEDS && caught == null; seed++) {
      CrowdPlan.Recipe recipe = recipes.get((int) (seed % recipes.size()));
      try {
        new CrowdSchedule(seed, mutant, recipe, null).run(threads);
      } catch (Violation e) {
        caught = "seed " + seed + ", " + recipe + ": " + e.brief();
      }
    }
    threads.shutdownNow();
    System.out.printf("%s: caught at %s%n", mutant, caught);
    assertThat(caught).as("%s survived %,d crowds", mutant, SEEDS).isNotNull();
  }
}
