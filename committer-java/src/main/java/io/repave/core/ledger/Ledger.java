package io.repave.core.ledger;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The files of one commit as a stream: at most {@link #BATCH} of them are objects in memory at a
 * time.
 */
public interface Ledger {
  /** Files in one batch, and in one shard of a record. */
  int BATCH = 10_000;

  LedgerSummary summary();

  /** Starts a new pass over all files. */
  Batches batches();

  /** Whether each pass fetches ledgers of tasks again, with a request for each. */
  default boolean fetchesTasks() {
    return false;
  }

  /** Passes on all files, batch by batch. */
  default void each(Action action) throws IOException, InterruptedException {
    Batches batches = batches();
    for (Optional<List<Upload>> batch = batches.next(); batch.isPresent(); batch = batches.next()) {
      action.run(batch.get());
    }
  }

  /** An action for one batch. */
  @FunctionalInterface
  interface Action {
    void run(List<Upload> batch) throws IOException, InterruptedException;
  }

  /** One pass over the files; not thread-safe. */
  interface Batches {
    /** The next files, at most {@link #BATCH}; empty at the end. */
    Optional<List<Upload>> next() throws IOException, InterruptedException;
  }
}
