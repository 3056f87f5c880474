package io.repave.sim;

import io.repave.core.Table;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.engine.RetryPolicy;
import io.repave.core.engine.SharedHead;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.store.Clock;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.Turns;
import io.repave.testing.Dialect;
import io.repave.testing.EngineSettingsDraft;
import io.repave.testing.FaultSchedule;
import io.repave.testing.FaultyObjectStore;
import io.repave.testing.JsonLines;
import io.repave.testing.MemoryObjectStore;
import io.repave.testing.Network;
import io.repave.testing.SequentialRunner;
import io.repave.testing.TestPorts;
import io.repave.testing.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A simulated store with one table, and the processes that work on it. */
final class World {
  static final long LIFETIME_MILLIS = 5_000;

  /** How far a wall clock may be off: several leases. */
  static final long SKEW_MILLIS = 10_000;

  static final EngineSettings SETTINGS =
      EngineSettingsDraft.ofDefaults()
          .heartbeatMillis(0)
          .leaseMillis(2_000)
          .drainMillis(2 * LIFETIME_MILLIS)
          .retry(new RetryPolicy(4, 10, 100, 60_000))
          .checkpointEvery(4)
          .deltaCheckpointEvery(2)
          .done();

  static EngineSettings settings(Readers readers) {
    return EngineSettingsDraft.of(SETTINGS).readers(readers).done();
  }

  static EngineSettings settings(Readers readers, ConflictPolicy policy) {
    return EngineSettingsDraft.of(SETTINGS).readers(readers).conflicts(policy).done();
  }

  private static final String COLUMNS = "{\"type\":\"struct\",\"fields\":[]}";

  /** The files of another writer, which are in the table before any job. */
  static final Set<String> INITIAL =
      new TreeSet<>(List.of("p=1/old-a.parquet", "p=1/old-b.parquet", "p=2/old-c.parquet"));

  final VirtualClock clock = new VirtualClock();
  final Network network = new Network(clock, LIFETIME_MILLIS);
  final MemoryObjectStore store;
  final TablePaths paths = new TablePaths(new Location("lake", "table"));
  final Readers readers;
  final InvariantChecker checker;

  /** Set when a follower could not be brought to a version: its readers may then miss files. */
  volatile boolean notFollowed;

  /** Set when a process that should have moved the catalog failed or died. */
  volatile boolean catalogMissed;

  private boolean inCatalog;

  private Consumer<String> trace;
  final Supplier<String> nonces = TestPorts.numberedNonces();

  World(Dialect dialect, Readers readers) {
    this.store = new MemoryObjectStore(dialect, clock);
    this.readers = readers;
    for (String key : INITIAL) {
      put(key);
    }
    this.checker = new InvariantChecker(this, INITIAL);
  }

  /** Switches followers on, before any fault. */
  void follow(List<FollowerKind> kinds) {
    try {
      Process first = process("first", FaultSchedule.NONE, 0);
      for (FollowerKind kind : kinds) {
        if (kind.isCatalog()) {
          if (first.table().head().isEmpty()) {
            first.table().adopt();
          }
          first.table().followBy(kind, "lake.sales");
          inCatalog = true;
          first.moveCatalog();
        } else {
          first.table().follow(kind);
        }
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  boolean isInCatalog() {
    return inCatalog;
  }

  void trace(Consumer<String> lines) {
    trace = lines;
  }

  void put(String key) {
    try {
      store.put(paths.root().resolve(key), ByteBuffer.wrap(new byte[] {1}));
    } catch (StoreException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The names of a version's files, as its records have them. */
  static Set<String> files(Snapshot snapshot) {
    Set<String> files = new TreeSet<>();
    for (String partition : snapshot.partitions()) {
      String folder = partition.isEmpty() ? "" : partition + "/";
      snapshot.files(partition).forEach(file -> files.add(folder + file.name()));
    }
    return files;
  }

  /** A process that runs alone, in the thread of the caller. */
  Process process(String name, FaultSchedule faults, long seed) {
    return process(name, faults, seed, clock, () -> {});
  }

  /** A process that runs {@code turn} before each of its calls. */
  Process process(String name, FaultSchedule faults, long seed, Clock time, Runnable turn) {
    FaultyObjectStore faulty = new FaultyObjectStore(name, store, network, faults);
    if (trace != null) {
      faulty.tracing(trace);
    }
    ScheduledStore scheduled = new ScheduledStore(faulty, turn, checker::afterCall);
    SharedHead.Provider alone = head -> new SharedHead(Turns.NONE);
    return new Process(this, faulty, scheduled, time, seed, alone);
  }

  /** A process and its way to the table. */
  record Process(
      World world,
      FaultyObjectStore faulty,
      ObjectStore store,
      Clock time,
      long seed,
      SharedHead.Provider heads) {
    /** The same process, with something between its engine and its store. */
    Process through(UnaryOperator<ObjectStore> wrapper) {
      return new Process(world, faulty, wrapper.apply(store), time, seed, heads);
    }

    /** A thread of a larger process, whose threads share what they know about the head. */
    Process sharing(SharedHead head) {
      return new Process(world, faulty, store, time, seed, at -> head);
    }

    Table table() {
      return table(settings(world.readers));
    }

    Table table(EngineSettings settings) {
      return Table.open(ports(), world.paths, settings);
    }

    /** Moves the catalog, if one follows, as an engine does after each change of the table. */
    void moveCatalog() throws IOException, InterruptedException {
      if (world.inCatalog) {
        table().move(FollowerKind.METASTORE, new StoredCatalog(store));
      }
    }

    /** The context of single steps, for mutants that combine steps in their own way. */
    TableContext context(EngineSettings settings) {
      Meter meter = new Meter(time, progress());
      return new TableContext(ports(), world.paths, settings, meter);
    }

    Ports ports() {
      SequentialRunner runner =
          seed == 0 ? new SequentialRunner() : SequentialRunner.shuffled(3, seed);
      return TestPorts.of(store, time)
          .nonces(world.nonces)
          .runner(runner)
          .progress(progress())
          .facts(end -> FileFacts.NONE.withSchema(Schema.of(COLUMNS)))
          .rows(JsonLines.FORMAT)
          .heads(heads)
          .ports();
    }

    private Progress progress() {
      return new Progress() {
        @Override
        public void at(Step step, long done, long total) {}

        @Override
        public void notFollowed(String follower, String why) {
          requireNoBug(why);
          world.notFollowed = true;
        }

        @Override
        public void noCheckpoint(String why) {
          requireNoBug(why);
        }

        /** The engine goes on after a bug of its own, such as a NullPointerException. */
        private void requireNoBug(String why) {
          if (why.startsWith("java.lang.") || why.startsWith("java.util.")) {
            throw new Violation("BUG: " + why);
          }
        }
      };
    }
  }
}
