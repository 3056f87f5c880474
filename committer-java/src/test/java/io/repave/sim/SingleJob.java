package io.repave.sim;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.EngineSettings;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.Dialect;
import io.repave.testing.FaultSchedule;
import io.repave.testing.ProcessDied;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * One small job (2 partitions, 3 files) whose driver meets faults, then a recoverer that meets
 * faults, then a world without faults that must come to rest.
 */
record SingleJob(CommitKind kind, Readers readers, Dialect dialect) {

  /** The calls that driver and recoverer made: what a sweep runs over. */
  record Calls(int driver, int recoverer) {}

  Calls run(FaultSchedule driverFaults, FaultSchedule recovererFaults, Consumer<String> trace) {
    World world = new World(dialect, readers);
    world.trace(trace);
    JobRun job = new JobRun(spec("commit-aaaa"), World.SETTINGS.with(readers), false);
    World.Process driver = world.process("driver", driverFaults, 0);
    job.run(driver, Protocol.REAL);
    World.Process recoverer = world.process("recoverer", recovererFaults, 0);
    recover(recoverer);
    settle(world);
    world.checker.outcome(job);
    return new Calls(driver.faulty().calls(), recoverer.faulty().calls());
  }

  /**
   * Instead of a recoverer another job of the same kind comes, once nothing is under way any more.
   * Without faults of its own it succeeds, whatever the first one left.
   */
  Calls runNext(
      FaultSchedule driverFaults,
      FaultSchedule nextFaults,
      ConflictPolicy policy,
      Consumer<String> trace) {
    World world = new World(dialect, readers);
    world.trace(trace);
    EngineSettings settings = World.SETTINGS.with(readers).with(policy);
    JobRun job = new JobRun(spec("commit-aaaa"), settings, false);
    World.Process driver = world.process("driver", driverFaults, 0);
    job.run(driver, Protocol.REAL);
    world.network.deliverAll();
    JobRun next = new JobRun(spec("commit-bbbb"), settings, false);
    World.Process nextDriver = world.process("next", nextFaults, 0);
    next.run(nextDriver, Protocol.REAL);
    if (nextFaults == FaultSchedule.NONE && next.outcome != JobRun.Outcome.SUCCEEDED) {
      throw new Violation("NOT TAKEN OVER: the next job ended " + next.outcome + next.failure);
    }
    settle(world);
    world.checker.outcome(job);
    world.checker.outcome(next);
    return new Calls(driver.faulty().calls(), nextDriver.faulty().calls());
  }

  private JobSpec spec(String commit) {
    return JobSpec.of(commit, kind, "", "p=1", "p=1", "p=2");
  }

  private static void recover(World.Process process) {
    try {
      process.table().recover();
    } catch (IOException | ProcessDied e) {
      // Whatever it left undone, the next one does.
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Everything under way lands, one recovery without faults runs, then a vacuum. */
  static void settle(World world) {
    world.network.deliverAll();
    World.Process last = world.process("last", FaultSchedule.NONE, 0);
    try {
      last.table().recover();
      world.checker.atRest();
      // What a job with a fast clock began is older than any retention, too.
      world.clock.advance(World.SKEW_MILLIS + 1);
      last.table().vacuum(0);
      world.checker.afterVacuum();
    } catch (IOException e) {
      throw new Violation("STUCK: " + e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
