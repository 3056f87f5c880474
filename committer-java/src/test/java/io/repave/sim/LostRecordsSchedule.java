package io.repave.sim;

import io.repave.core.Table;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.Dialect;
import io.repave.testing.Fault;
import io.repave.testing.FaultSchedule;
import io.repave.testing.ProcessDied;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Drivers die after their decision, and their ledgers or manifests vanish. Recoverers die too. In
 * the end {@code recover} finishes every commit, or {@code cancel} reverts or ends it; the jobs
 * that are lost run again with their tokens. Then all rows must be right (docs/protocol.md, rules 8
 * and 15).
 */
final class LostRecordsSchedule {
  private static final int FIRST_CALL = 5;
  private static final int CALLS = 14;

  private final SplittableRandom random;
  private final LostRecordsMutant mutant;
  private final World world;
  private final EngineSettings settings;
  private final List<JobSpec> dead = new ArrayList<>();
  private final Set<CommitId> disguised = new HashSet<>();
  private int words;
  private int lost;
  private int ended;

  LostRecordsSchedule(long seed, LostRecordsMutant mutant, Consumer<String> trace) {
    this.random = new SplittableRandom(seed);
    this.mutant = mutant;
    Dialect[] dialects = {Dialect.AWS, Dialect.FORGETFUL, Dialect.CONFUSED};
    Readers readers = random.nextBoolean() ? Readers.LISTING : Readers.SNAPSHOT;
    this.world = new World(dialects[random.nextInt(dialects.length)], readers);
    world.trace(trace);
    world.checker.expectReverts();
    // Such a job waits for nobody whose folders it does not touch, so several commits stay.
    this.settings = World.settings(readers, ConflictPolicy.LAST_WRITER);
  }

  /** The published commits that lost a record. */
  int lost() {
    return lost;
  }

  /** The commits that an operator ended as they were. */
  int ended() {
    return ended;
  }

  void run() {
    for (int job = 0; job <= random.nextInt(3); job++) {
      succeed(spec(CommitKind.APPEND, "", "p=" + (1 + random.nextInt(3))));
    }
    boolean all = random.nextInt(2) == 0;
    for (int job = 1; job <= (all ? 1 : 1 + random.nextInt(3)); job++) {
      CommitKind kind = random.nextInt(3) == 0 ? CommitKind.APPEND : CommitKind.DYNAMIC;
      String token = random.nextBoolean() ? "token-" + job : "";
      die(spec(all ? CommitKind.STATIC : kind, token, "p=" + job));
    }
    world.network.deliverAll();
    active().forEach(this::lose);
    for (int death = random.nextInt(3); death > 0; death--) {
      recover(FaultSchedule.at(1 + random.nextInt(20), Fault.of(Fault.Kind.DIE_BEFORE)));
      world.network.deliverAll();
    }
    recover(FaultSchedule.NONE);
    active().forEach(this::cancel);
    recover(FaultSchedule.NONE);
    Set<String> published = new TreeSet<>(world.checker.versions());
    for (JobSpec job : dead) {
      if (!published.contains(job.commit())) {
        succeed(spec(job.kind(), job.token(), JobSpec.folder(job.files().get(0))));
      }
    }
    world.checker.atRest();
    requireRecorded();
  }

  private JobSpec spec(CommitKind kind, String token, String partition) {
    return JobSpec.of("job-%06d".formatted(++words), kind, token, partition);
  }

  private JobRun job(JobSpec spec, FaultSchedule faults) {
    JobRun run = new JobRun(spec, settings, false);
    run.run(world.process(spec.commit(), faults, random.nextLong() | 1), Protocol.REAL);
    return run;
  }

  private void succeed(JobSpec spec) {
    JobRun run = job(spec, FaultSchedule.NONE);
    if (run.outcome != JobRun.Outcome.SUCCEEDED) {
      throw new Violation("NEEDLESS FAILURE: " + run.outcome + " " + run.failure);
    }
    world.checker.outcome(run);
  }

  private void die(JobSpec spec) {
    int call = FIRST_CALL + random.nextInt(CALLS);
    if (job(spec, FaultSchedule.at(call, Fault.of(Fault.Kind.DIE_BEFORE))).died) {
      dead.add(spec);
    }
  }

  private List<ActiveCommit> active() {
    return world.checker.head().map(Head::active).orElse(List.of());
  }

  /** One of the two records, or on a listing table both. */
  private void lose(ActiveCommit commit) {
    int choice = random.nextInt(world.readers == Readers.LISTING ? 3 : 2);
    if (choice != 0) {
      delete(world.paths.uploads(commit.id()));
    }
    if (choice != 1) {
      delete(world.paths.manifest(commit.id()));
    }
    lost += commit.state() == CommitState.CLEANING ? 1 : 0;
  }

  private void delete(Location record) {
    world.store.delete(List.of(record));
  }

  private World.Process process(String name, FaultSchedule faults) {
    return mutant.altered(world.process(name, faults, random.nextLong() | 1), disguised);
  }

  private void recover(FaultSchedule faults) {
    try {
      process("recoverer", faults).table(settings).recover();
    } catch (IOException | ProcessDied refused) {
      // The next one, or a cancel, does the rest.
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void cancel(ActiveCommit commit) {
    if (active().stream().noneMatch(it -> it.id().equals(commit.id()))) {
      return;
    }
    try {
      RecoveredCommit done =
          process("operator", FaultSchedule.NONE).table(settings).cancel(commit.id().id());
      if (done.outcome() == RecoveredCommit.Outcome.ENDED) {
        ended++;
        // Its old files are there until its job runs again.
        JobSpec job = world.checker.job(commit.id().id()).orElseThrow();
        succeed(spec(job.kind(), job.token(), JobSpec.folder(job.files().get(0))));
      }
    } catch (IOException e) {
      throw new Violation("STUCK: neither recovered nor cancelled: " + commit + ": " + e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The records name exactly the live files. */
  private void requireRecorded() {
    if (world.readers == Readers.LISTING) {
      return;
    }
    try {
      Table table = world.process("reader", FaultSchedule.NONE, 0).table(settings);
      long version = world.checker.head().orElseThrow().version();
      Set<String> files = World.files(table.snapshot(table.head().orElseThrow(), version));
      if (!files.equals(world.checker.live())) {
        throw new Violation("SNAPSHOT: " + files + ", not " + world.checker.live());
      }
    } catch (IOException e) {
      throw new Violation("UNREADABLE: " + e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
