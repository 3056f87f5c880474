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
 * files, and what the jobs of the process share about a head.
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
    RowFileFormat rows) {

  public Ports with(ObjectStore other) {
    return new Ports(other, clock, nonces, runner, scratch, heads, progress, facts, rows);
  }
}
