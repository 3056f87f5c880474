package io.repave.sim;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.EngineSettings;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.testing.Dialect;
import io.repave.testing.FaultSchedule;
import io.repave.testing.ProcessDied;
import io.repave.testing.SwitchOffs;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * One small job (2 partitions, 3 files). First its driver meets faults, then a recoverer does. In
 * the end everything is delivered and recovered without faults, and the table must be right.
 */
record SingleJob(CommitKind kind, Readers readers, Dialect dialect, List<FollowerKind> followers) {

  /** The number of calls that driver and recoverer made. A sweep puts faults at each of them. */
  record Calls(int driver, int recoverer) {}

  Calls run(FaultSchedule driverFaults, FaultSchedule recovererFaults, Consumer<String> trace) {
    World world = world(trace);
    JobRun job = new JobRun(spec("commit-aaaa"), World.settings(readers), false);
    World.Process driver = world.process("driver", driverFaults, 0);
    job.run(driver, Protocol.REAL);
    if (driverFaults == FaultSchedule.NONE && job.outcome != JobRun.Outcome.SUCCEEDED) {
      throw new Violation("FAILED without a fault: " + job.outcome + " " + job.failure);
    }
    World.Process recoverer = world.process("recoverer", recovererFaults, 0);
    recover(recoverer);
    settle(world);
    world.checker.outcome(job);
    return new Calls(driver.faulty().calls(), recoverer.faulty().calls());
  }

  /**
   * Runs another job of the same kind instead of a recoverer, once no request is under way any
   * more. Without faults of its own it must succeed, whatever the first job left.
   */
  Calls runNext(
      FaultSchedule driverFaults,
      FaultSchedule nextFaults,
      ConflictPolicy policy,
      Consumer<String> trace) {
    World world = world(trace);
    EngineSettings settings = World.settings(readers, policy);
    JobRun job = new JobRun(spec("commit-aaaa"), settings, false);
    World.Process driver = world.process("driver", driverFaults, 0);
    job.run(driver, Protocol.REAL);
    world.network.deliverAll();
    JobRun next = new JobRun(spec("commit-bbbb"), settings, false);
    World.Process nextDriver = world.process("next", nextFaults, 0);
    next.run(nextDriver, Protocol.REAL);
    if (nextFaults == FaultSchedule.NONE && next.outcome != JobRun.Outcome.SUCCEEDED) {
      throw new Violation("NEXT JOB FAILED: it ended " + next.outcome + next.failure);
    }
    settle(world);
    world.checker.outcome(job);
    world.checker.outcome(next);
    return new Calls(driver.faulty().calls(), nextDriver.faulty().calls());
  }

  private World world(Consumer<String> trace) {
    World world = new World(dialect, readers);
    world.trace(trace);
    world.follow(followers);
    return world;
  }

  private JobSpec spec(String commit) {
    JobSpec spec = JobSpec.of(commit, kind, "", "p=1", "p=1", "p=2");
    return followers.stream().anyMatch(FollowerKind::isCatalog) ? spec.inFolder() : spec;
  }

  private static void recover(World.Process process) {
    try {
      process.table().recover();
      process.moveCatalog();
    } catch (IOException | ProcessDied e) {
      process.world().catalogMissed = true;
      // The next process finishes what this one left.
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Delivers all requests, then runs a recovery and a vacuum without faults. */
  static void settle(World world) {
    world.network.deliverAll();
    World.Process last = world.process("last", FaultSchedule.NONE, 0);
    try {
      last.table().recover();
      world.checker.atRest();
      last.moveCatalog();
      world.catalogMissed = false;
      world.checker.atRest();
      if (world.checker.head().isEmpty()) {
        // Only a table with a head is vacuumed whole. What the dead job left must not be in the
        // way.
        JobSpec first = JobSpec.of("commit-eeee", CommitKind.APPEND, "", "p=1");
        new JobRun(first, World.settings(world.readers), false).run(last, Protocol.REAL);
      }
      // So that a job whose clock is ahead is also older than the retention.
      world.clock.advance(World.SKEW_MILLIS + 1);
      last.table().vacuum(0);
      if (world.notFollowed) {
        // The vacuum kept what a log that is behind may name. `repave sync` ends that.
        world.checker.atRest();
        SwitchOffs.end(world.checker.head().orElseThrow(), last.table());
        last.table().sync();
        world.notFollowed = false;
        last.table().vacuum(0);
      }
      world.checker.afterVacuum();
    } catch (IOException e) {
      throw new Violation("STUCK: " + e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
