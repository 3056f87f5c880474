package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.testing.Dialect;
import io.repave.testing.Fault;
import io.repave.testing.FaultSchedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every call of a small job meets every fault: one at a time, in pairs, and with a recoverer that
 * dies at each of its own calls. The sweep is the same in each run: it has no seed. It is complete;
 * with {@code -Dpairs=few} every fifth schedule with two faults runs, because {@code make test} has
 * to end.
 */
@Tag("sim")
@Execution(ExecutionMode.CONCURRENT)
class FaultSweepTest {
  private static final boolean FEW = "few".equals(System.getProperty("pairs"));

  /** One of so many schedules with two faults runs. It shares no divisor with the deaths. */
  private static final int ONE_OF = FEW ? 5 : 1;

  /** The faults that end a recoverer. */
  private static final List<Fault.Kind> DEATHS =
      List.of(Fault.Kind.DIE_BEFORE, Fault.Kind.DIE_AFTER, Fault.Kind.DIE_LATE);

  static Stream<SingleJob> jobs() {
    List<SingleJob> jobs = new ArrayList<>();
    for (Readers readers : Readers.values()) {
      for (CommitKind kind : List.of(CommitKind.DYNAMIC, CommitKind.STATIC, CommitKind.APPEND)) {
        for (Dialect dialect : List.of(Dialect.AWS, Dialect.FORGETFUL, Dialect.CONFUSED)) {
          jobs.add(new SingleJob(kind, readers, dialect, List.of()));
        }
      }
    }
    List<FollowerKind> delta = List.of(FollowerKind.DELTA);
    List<FollowerKind> symlink = List.of(FollowerKind.SYMLINK);
    jobs.add(new SingleJob(CommitKind.DYNAMIC, Readers.LISTING, Dialect.AWS, delta));
    jobs.add(new SingleJob(CommitKind.STATIC, Readers.SNAPSHOT, Dialect.AWS, delta));
    jobs.add(new SingleJob(CommitKind.DYNAMIC, Readers.LISTING, Dialect.AWS, symlink));
    jobs.add(new SingleJob(CommitKind.STATIC, Readers.SNAPSHOT, Dialect.AWS, symlink));
    List<FollowerKind> metastore = List.of(FollowerKind.METASTORE);
    jobs.add(new SingleJob(CommitKind.DYNAMIC, Readers.SNAPSHOT, Dialect.AWS, metastore));
    return jobs.stream();
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void everyCallMeetsEveryFault(SingleJob job) {
    Sweep sweep = new Sweep(job);
    int calls = sweep.run(Map.of(), Map.of()).driver() + 2;
    for (Map.Entry<Integer, Fault> fault : faults(calls, calls)) {
      sweep.run(Map.ofEntries(fault), Map.of());
    }
    sweep.print("one fault");
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void everyRecovererDiesAtEveryCallAfterEveryFault(SingleJob job) {
    Sweep sweep = new Sweep(job);
    int calls = sweep.run(Map.of(), Map.of()).driver() + 2;
    for (Map.Entry<Integer, Fault> fault : faults(calls, 3)) {
      int recovererCalls = sweep.run(Map.ofEntries(fault), Map.of()).recoverer();
      for (int call = 1; call <= recovererCalls; call++) {
        for (Fault.Kind death : DEATHS) {
          sweep.runSome(Map.ofEntries(fault), Map.of(call, Fault.of(death)));
        }
      }
    }
    sweep.print("one fault, then a recoverer that dies");
  }

  /** All jobs; with {@code -Dpairs=few} dynamic overwrites on one dialect, without followers. */
  static Stream<SingleJob> jobsForPairs() {
    return jobs()
        .filter(job -> !FEW || job.followers().isEmpty())
        .filter(job -> !FEW || job.dialect() == Dialect.AWS && job.kind() == CommitKind.DYNAMIC);
  }

  @ParameterizedTest
  @MethodSource("jobsForPairs")
  void everyPairOfCallsMeetsEveryPairOfFaults(SingleJob job) {
    Sweep sweep = new Sweep(job);
    int calls = sweep.run(Map.of(), Map.of()).driver() + 2;
    List<Map.Entry<Integer, Fault>> faults = faults(calls, 2);
    for (Map.Entry<Integer, Fault> first : faults) {
      for (Map.Entry<Integer, Fault> second : faults) {
        if (first.getKey() < second.getKey()) {
          sweep.runSome(Map.ofEntries(first, second), Map.of());
        }
      }
    }
    sweep.print("two faults");
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void theNextJobSucceedsAfterEveryFault(SingleJob job) {
    for (ConflictPolicy policy : ConflictPolicy.values()) {
      Sweep sweep = new Sweep(job, nextOf(job, policy));
      int calls = sweep.run(Map.of(), Map.of()).driver() + 2;
      for (Map.Entry<Integer, Fault> fault : faults(calls, 3)) {
        sweep.run(Map.ofEntries(fault), Map.of());
      }
      sweep.print("one fault, then the next job (" + policy + ")");
    }
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void theNextJobDiesAtEveryCallAfterEveryDeath(SingleJob job) {
    Sweep sweep = new Sweep(job, nextOf(job, ConflictPolicy.FAIL));
    int calls = sweep.run(Map.of(), Map.of()).driver() + 2;
    for (Map.Entry<Integer, Fault> fault : faults(calls, 0)) {
      if (DEATHS.contains(fault.getValue().kind())) {
        int nextCalls = sweep.run(Map.ofEntries(fault), Map.of()).recoverer();
        for (int call = 1; call <= nextCalls; call++) {
          for (Fault.Kind death : DEATHS) {
            sweep.runSome(Map.ofEntries(fault), Map.of(call, Fault.of(death)));
          }
        }
      }
    }
    sweep.print("a death, then the next job dies");
  }

  /** A schedule without faults is special: its job must succeed. */
  private static Schedule nextOf(SingleJob job, ConflictPolicy policy) {
    return (driver, next, trace) -> job.runNext(at(driver), at(next), policy, trace);
  }

  private static FaultSchedule at(Map<Integer, Fault> faults) {
    return faults.isEmpty() ? FaultSchedule.NONE : FaultSchedule.at(faults);
  }

  /** Every fault at every call. Late requests land after 0 to {@code latest} further calls. */
  private static List<Map.Entry<Integer, Fault>> faults(int calls, int latest) {
    List<Map.Entry<Integer, Fault>> faults = new ArrayList<>();
    for (int call = 1; call <= calls; call++) {
      for (Fault.Kind kind : Fault.Kind.values()) {
        if (kind == Fault.Kind.NONE) {
          continue;
        }
        boolean late = kind == Fault.Kind.LATE || kind == Fault.Kind.DIE_LATE;
        for (int later = 0; later <= (late ? latest : 0); later++) {
          faults.add(Map.entry(call, late ? new Fault(kind, later) : Fault.of(kind)));
        }
      }
    }
    return faults;
  }

  /** Runs two processes, one after the other, with these faults. */
  @FunctionalInterface
  private interface Schedule {
    SingleJob.Calls run(
        Map<Integer, Fault> first, Map<Integer, Fault> then, Consumer<String> trace);
  }

  /** Runs and counts the schedules of one job. Runs a violation again to print its trace. */
  private static final class Sweep {
    private final SingleJob job;
    private final Schedule schedule;
    private int schedules;
    private int withTwoFaults;

    Sweep(SingleJob job) {
      this(job, (driver, recoverer, trace) -> job.run(at(driver), at(recoverer), trace));
    }

    Sweep(SingleJob job, Schedule schedule) {
      this.job = job;
      this.schedule = schedule;
    }

    /** Runs a schedule with two faults, or leaves it out. */
    void runSome(Map<Integer, Fault> driver, Map<Integer, Fault> recoverer) {
      if (withTwoFaults++ % ONE_OF == 0) {
        run(driver, recoverer);
      }
    }

    SingleJob.Calls run(Map<Integer, Fault> driver, Map<Integer, Fault> recoverer) {
      schedules++;
      try {
        return schedule.run(driver, recoverer, null);
      } catch (RuntimeException | Violation e) {
        List<String> trace = new ArrayList<>();
        String again = "no violation";
        try {
          schedule.run(driver, recoverer, trace::add);
        } catch (RuntimeException | Violation replayed) {
          again = replayed.toString();
        }
        throw new AssertionError(
            job
                + ", faults of the driver "
                + driver
                + ", of the process after it "
                + recoverer
                + "\n"
                + String.join("\n", trace)
                + "\nsecond run: "
                + again
                + "\nThis test has no seed. Run it again with: mvn -pl committer-java test"
                + " -Dgroups=sim -Dtest=FaultSweepTest",
            e);
      }
    }

    void print(String what) {
      assertThat(schedules).isGreaterThan(100);
      System.out.printf("%s: %s: %,d schedules, 0 violations%n", job, what, schedules);
    }
  }
}
