package io.repave.core.engine;

import io.repave.core.ledger.FactsReader;
import io.repave.core.store.Clock;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import io.repave.core.store.RowFileFormat;
import io.repave.core.store.Scratch;
import java.util.function.Supplier;

/**
 * Everything outside the protocol that the core uses: the store, the clock, bounded parallelism,
 * temporary space outside the heap, and a listener for progress. The {@code nonces} are unique
 * texts of at least 128 random bits. It also has the reader of data files, the writer of Parquet
 * files, what the jobs of the process share about a head, and the engine's signal to stop.
 */
public record Ports(
    ObjectStore store,
    Clock clock,
    Supplier<String> nonces,
    ParallelRunner runner,
    Scratch scratch,
    SharedHead.Provider heads,
    Progress progress,
    FactsReader facts,
    RowFileFormat rows,
    StopSignal stop) {

  public Ports with(ObjectStore other) {
    return new Ports(other, clock, nonces, runner, scratch, heads, progress, facts, rows, stop);
  }

  /** The same for a job that this signal stops, as long as its commit is not decided. */
  public Ports stoppedBy(StopSignal signal) {
    return new Ports(store, clock, nonces, runner, scratch, heads, progress, facts, rows, signal);
  }
}
