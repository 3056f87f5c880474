package io.repave.sim;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.SharedHead;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.store.Turns;
import io.repave.testing.Dialect;
import io.repave.testing.EngineSettingsDraft;
import io.repave.testing.Fault;
import io.repave.testing.FaultSchedule;
import io.repave.testing.FaultyObjectStore;
import io.repave.testing.ProcessDied;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One random life of a table whose processes run several versions of the engine, one after the
 * other: jobs of each kind, rollbacks, adoptions, recoveries and vacuums, any of which may die at
 * any call. After each of them every version of the engine must read what a model says.
 */
final class MixedLife {
  private static final long HOUR = 3_600_000;
  private static final CommitKind[] KINDS = {
    CommitKind.APPEND, CommitKind.APPEND, CommitKind.DYNAMIC, CommitKind.DYNAMIC, CommitKind.STATIC
  };

  private final SplittableRandom random;
  private final MixedVersions engines;
  private final World world;
  private final EngineSettings settings;
  private final Map<String, JobSpec> jobs = new HashMap<>();
  private final Map<String, Long> targets = new HashMap<>();
  private final TreeMap<Long, Set<String>> liveAt = new TreeMap<>(Map.of(0L, World.INITIAL));
  private final Consumer<String> trace;
  private long target;
  private int refusals;
  private int deaths;
  private int written;

  MixedLife(long seed, MixedVersions engines, Consumer<String> trace) {
    this.random = new SplittableRandom(seed);
    this.engines = engines;
    Readers readers = random.nextBoolean() ? Readers.SNAPSHOT : Readers.LISTING;
    this.world = new World(Dialect.AWS, readers);
    this.trace = trace;
    boolean forgets = random.nextInt(4) == 0;
    this.settings =
        EngineSettingsDraft.of(World.SETTINGS)
            .readers(readers)
            .checkpointEvery(1 + random.nextInt(5))
            .conflicts(ConflictPolicy.FAIL)
            .historyRetentionMillis(forgets ? 20 * HOUR : 1_000 * HOUR)
            .done();
  }

  /** The number of published versions. */
  long versions() {
    return liveAt.lastKey();
  }

  int deaths() {
    return deaths;
  }

  /** How often the earlier version refused a head of a newer format. */
  int refusals() {
    return refusals;
  }

  void run(int steps) {
    run(() -> Protocol.REAL.adopt(alone("adoption", FaultSchedule.NONE)));
    check();
    for (int step = 0; step < steps; step++) {
      world.clock.advance(1 + random.nextLong(2 * HOUR));
      step("step-" + step);
      world.network.deliverAll();
      check();
    }
    world.clock.advance(HOUR);
    World.Process last = alone("last", FaultSchedule.NONE);
    run(() -> last.table(settings).recover());
    check();
    if (!head().active().isEmpty()) {
      throw new Violation("STUCK: " + head().active());
    }
    world.clock.advance(HOUR);
    run(() -> last.table(settings).vacuum(0));
    if (world.readers == Readers.LISTING) {
      run(() -> last.table(settings).adopt());
      check();
      read(Protocol.REAL, head(), versions());
    }
    check();
  }

  /** An action of a process, which may die. */
  private interface Action {
    void run() throws IOException, InterruptedException;
  }

  private void step(String name) {
    World.Process process = process(name);
    switch (random.nextInt(10)) {
      case 0 -> {
        target = 1 + random.nextLong(versions());
        run(() -> engines.rollback(process, target));
      }
      case 1 -> run(() -> engines.recover(process));
      case 2 -> run(() -> engines.vacuum(process, settings, random.nextLong(12 * HOUR)));
      case 3 -> run(() -> engines.adopt(process));
      default -> write(process);
    }
  }

  private void write(World.Process process) {
    String[] partitions = new String[1 + random.nextInt(2)];
    for (int i = 0; i < partitions.length; i++) {
      partitions[i] = "p=" + (1 + random.nextInt(3));
    }
    CommitKind kind = KINDS[random.nextInt(KINDS.length)];
    String token = random.nextInt(4) == 0 ? "token-" + written : "";
    JobSpec spec = JobSpec.of("job-%06d".formatted(++written), kind, token, partitions);
    jobs.put(spec.commit(), spec);
    JobRun run = new JobRun(spec, settings, random.nextInt(10) == 0);
    run.run(process, engines);
    deaths += run.died ? 1 : 0;
  }

  private World.Process process(String name) {
    FaultSchedule faults =
        random.nextInt(3) == 0
            ? FaultSchedule.at(
                1 + random.nextInt(25),
                Fault.of(random.nextBoolean() ? Fault.Kind.DIE_BEFORE : Fault.Kind.DIE_AFTER))
            : FaultSchedule.NONE;
    return alone(name, faults);
  }

  /** Without the checker, whose model has no rollbacks. */
  private World.Process alone(String name, FaultSchedule faults) {
    FaultyObjectStore store = new FaultyObjectStore(name, world.store, world.network, faults);
    if (trace != null) {
      store.tracing(trace);
    }
    long seed = random.nextLong() & Long.MAX_VALUE | 1;
    return new World.Process(
        world, store, store, world.clock, seed, head -> new SharedHead(Turns.NONE));
  }

  private void run(Action action) {
    try {
      action.run();
    } catch (ProcessDied died) {
      deaths++;
    } catch (IOException refused) {
      if (refused.toString().contains(" is missing")) {
        throw new Violation("LOST RECORD: " + refused);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Head head() {
    return world.checker.head().orElseThrow();
  }

  private void check() {
    if (world.checker.head().isEmpty()) {
      return;
    }
    Head head = head();
    for (ActiveCommit commit : head.active()) {
      know(commit.id(), commit.kind());
    }
    for (LoggedCommit commit : head.log()) {
      know(commit.id(), commit.kind());
      if (commit.version() == versions() + 1) {
        liveAt.put(commit.version(), after(commit));
      }
    }
    if (versions() != head.version()) {
      throw new Violation("HISTORY: " + head.version() + " after " + versions());
    }
    for (String file : liveAt.lastEntry().getValue()) {
      if (!world.store.objects().containsKey(world.paths.root().resolve(file))) {
        throw new Violation("LOSS: " + file);
      }
    }
    if (world.readers == Readers.LISTING && engines.includesVersion01()) {
      // Version 0.1 takes the checkpoints of listing tables for complete lists of files.
      return;
    }
    for (Protocol engine : engines.versions()) {
      read(engine, head, head.version());
      read(engine, head, random.nextLong(oldest(head), head.version() + 1));
    }
  }

  /**
   * Where the history of a listing table has ended, its newest checkpoint alone has all files.
   * Nobody reads an earlier version of such a table: its files are deleted.
   */
  private long oldest(Head head) {
    boolean hasEnded = world.readers == Readers.LISTING && head.historyFrom() > 1;
    return hasEnded ? head.version() : Math.max(1, head.oldestVersion());
  }

  private void know(CommitId id, CommitKind kind) {
    if (kind == CommitKind.ROLLBACK) {
      targets.putIfAbsent(id.id(), target);
    }
  }

  private Set<String> after(LoggedCommit commit) {
    Set<String> live = liveAt.lastEntry().getValue();
    return switch (commit.kind()) {
      case ADOPT -> live;
      case ROLLBACK -> liveAt.get(targets.get(commit.id().id()));
      default -> jobs.get(commit.id().id()).applied(live);
    };
  }

  private void read(Protocol engine, Head head, long version) {
    World.Process reader = alone("reader", FaultSchedule.NONE);
    try {
      Set<String> files = engine.files(reader, version);
      if (!files.equals(liveAt.get(version))) {
        throw new Violation(
            engine + " reads version " + version + " as " + files + ", not " + liveAt.get(version));
      }
    } catch (IOException refused) {
      boolean newer = refused.toString().contains("newer than this version");
      if (!newer || engine == Protocol.REAL || head.historyFrom() <= 1) {
        throw new Violation(engine + " cannot read version " + version + ": " + refused);
      }
      refusals++;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
