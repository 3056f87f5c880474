package io.repave.sim;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.testing.FaultSchedule;
import java.io.IOException;

/** What must hold when a crowd has gone: one more job cleans up, and everything can be read. */
final class CrowdEnd {
  private static final long LONGER_THAN_ANY_LEASE = 60_000;

  private final World world;
  private final CrowdPlan plan;
  private final CrowdRules rules;
  private final CrowdMutant mutant;

  CrowdEnd(World world, CrowdPlan plan, CrowdRules rules, CrowdMutant mutant) {
    this.world = world;
    this.plan = plan;
    this.rules = rules;
    this.mutant = mutant;
  }

  /** Delivers all requests, then commits one append; nothing may be left unfinished after it. */
  void settle(String word) {
    world.network.deliverAll();
    world.clock.advance(LONGER_THAN_ANY_LEASE);
    JobSpec last = JobSpec.of(word, CommitKind.APPEND, "", "");
    rules.know(last, ConflictPolicy.FAIL);
    JobRun run = new JobRun(last, plan.settings(), false);
    World.Process process = world.process("last", FaultSchedule.NONE, 0);
    run.run(mutant.altered(CrowdMutant.Role.WRITER, process), mutant);
    if (run.outcome != JobRun.Outcome.SUCCEEDED) {
      throw new Violation("LAST JOB: " + run.outcome + " " + run.failure);
    }
    Head head = world.checker.head().orElseThrow();
    if (!head.active().isEmpty()) {
      throw new Violation("LEFT DEAD: " + head.active().stream().map(ActiveCommit::id).toList());
    }
    if (head.waiting().isPresent()) {
      throw new Violation("WAITS FOR EVER: " + head.waiting());
    }
    world.checker.outcome(run);
    world.checker.atRest();
    rules.readable();
    rules.endOfRetention();
    // What was replaced in this very millisecond is not older than a retention of 0.
    world.clock.advance(LONGER_THAN_ANY_LEASE);
    try {
      world.process("cleaner", FaultSchedule.NONE, 0).table(plan.settings()).vacuum(0);
    } catch (IOException e) {
      throw new Violation("STUCK: " + e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    world.checker.afterVacuum();
    rules.readable();
  }

  /**
   * After hostile neighbors a table may be stuck, but then it says so: when a recovery succeeds,
   * all rows are right.
   */
  void afterHostility() {
    world.network.deliverAll();
    world.clock.advance(LONGER_THAN_ANY_LEASE);
    try {
      world.process("last", FaultSchedule.NONE, 0).table(plan.settings()).recover();
      world.checker.atRest();
    } catch (IOException refused) {
      world.checker.during();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    if (plan.readers() == Readers.LISTING) {
      repair();
    }
  }

  /** On a listing table the files are the truth: a repair makes the records name them again. */
  private void repair() {
    try {
      world.process("repair", FaultSchedule.NONE, 0).table(plan.settings()).repair();
    } catch (IOException refused) {
      // An unfinished commit that cannot be finished has to be cancelled first.
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    world.checker.during();
  }
}
