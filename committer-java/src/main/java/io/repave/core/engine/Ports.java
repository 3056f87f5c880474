package io.repave.core.engine;

import io.repave.core.ledger.FactsReader;
import io.repave.core.store.Clock;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import io.repave.core.store.RowFileFormat;
import io.repave.core.store.Scratch;
import java.util.function.Supplier;

/**
 * Everything outside the protocol that the core uses: the store, the clock, unique text ({@code
 * nonces}: at least 128 random bits), bounded parallelism, temporary space outside the heap, what
 * the jobs of the process share about a head, a listener for progress, the reader of data files,
 * and the writer of Parquet files.
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
