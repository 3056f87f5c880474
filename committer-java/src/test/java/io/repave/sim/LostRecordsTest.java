package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Commits that lose a record after their decision. {@code -Dlost=N} says how many schedules. */
@Tag("sim")
class LostRecordsTest {
  private static final long SCHEDULES = Long.getLong("lost", 5_000);
  private static final long MUTANT_SCHEDULES = 400;

  @Test
  void noRowIsLostWithARecord() {
    long first = Long.getLong("seed", 1);
    int lost = 0;
    int ended = 0;
    long startedMillis = System.currentTimeMillis();
    for (long seed = first; seed < first + SCHEDULES; seed++) {
      LostRecordsSchedule schedule = new LostRecordsSchedule(seed, LostRecordsMutant.CONTROL, null);
      try {
        schedule.run();
      } catch (Violation e) {
        replay(seed);
        throw new AssertionError("seed " + seed + " (to run it again: -Dlost=1 -Dseed=…)", e);
      }
      lost += schedule.lost();
      ended += schedule.ended();
    }
    System.out.printf(
        "%,d schedules from seed %d: %,d published commits lost a record, %,d were ended, %.1f s%n",
        SCHEDULES, first, lost, ended, (System.currentTimeMillis() - startedMillis) / 1000.0);
    assertThat(lost).isPositive();
  }

  @ParameterizedTest
  @EnumSource(names = "CONTROL", mode = EnumSource.Mode.EXCLUDE)
  void everyMutantIsCaught(LostRecordsMutant mutant) {
    String caught = null;
    for (long seed = 1; seed <= MUTANT_SCHEDULES && caught == null; seed++) {
      try {
        new LostRecordsSchedule(seed, mutant, null).run();
      } catch (Violation e) {
        caught = "seed " + seed + ": " + e.brief();
      }
    }
    System.out.printf("%s: caught at %s%n", mutant, caught);
    assertThat(caught).as("%s survived %,d schedules", mutant, MUTANT_SCHEDULES).isNotNull();
  }

  private static void replay(long seed) {
    List<String> trace = new ArrayList<>();
    try {
      new LostRecordsSchedule(seed, LostRecordsMutant.CONTROL, trace::add).run();
    } catch (Violation e) {
      trace.add(e.getMessage());
    }
    trace.forEach(line -> System.out.println("  " + line));
  }
}
