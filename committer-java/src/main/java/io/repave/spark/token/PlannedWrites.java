package io.repave.spark.token;

import io.repave.spark.write.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/**
 * The writes to a table that Spark has planned and that have not begun. Spark runs the stages of a
 * write that shuffle before it sets up the job, so a write may fail in them without a call: then
 * its execution is over, and it has not begun.
 */
final class PlannedWrites {
  /** The first ones matter: no write may follow before they are tried again. */
  private static final int MOST = 10;

  private record Planned(long execution, Statement write) {}

  private final LongPredicate isRunning;
  private final List<Planned> planned = new ArrayList<>();

  PlannedWrites(LongPredicate isRunning) {
    this.isRunning = isRunning;
  }

  /** A write that is tried again takes the place of its first failed try. */
  void add(long execution, Statement write) {
    int place = planned.size();
    for (int i = planned.size() - 1; i >= 0; i--) {
      if (hasFailed(planned.get(i)) && planned.get(i).write().isSameAs(write)) {
        planned.remove(i);
        place = i;
      }
    }
    if (planned.size() < MOST) {
      planned.add(place, new Planned(execution, write));
    }
  }

  /** Whether a write of another execution may still begin. */
  boolean isAnotherRunning(long execution) {
    return planned.stream().anyMatch(it -> it.execution() != execution && !hasFailed(it));
  }

  /** Whether another write was planned before that of this execution, and has failed. */
  boolean hasAnotherFailed(long execution, Statement write) {
    for (Planned each : planned) {
      if (each.execution() == execution) {
        return false;
      }
      if (hasFailed(each) && !each.write().isSameAs(write)) {
        return true;
      }
    }
    return false;
  }

  /** The write has begun. */
  void begun(long execution, Statement write) {
    if (!removeFirst(it -> it.execution() == execution && it.write().isSameAs(write))) {
      // The files that it reads are not known. Spark begins the writes in the order of the plan.
      removeFirst(it -> it.execution() == execution);
    }
  }

  private boolean removeFirst(Predicate<Planned> which) {
    for (int i = 0; i < planned.size(); i++) {
      if (which.test(planned.get(i))) {
        planned.remove(i);
        return true;
      }
    }
    return false;
  }

  private boolean hasFailed(Planned write) {
    return !isRunning.test(write.execution());
  }
}
