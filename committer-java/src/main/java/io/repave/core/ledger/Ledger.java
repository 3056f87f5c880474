package io.repave.core.ledger;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The files of one commit, streamed: at most {@link #BATCH} of them are objects at a time, however
 * many there are.
 */
public interface Ledger {
  /** Files in one batch, and in one shard of a record. */
  int BATCH = 10_000;

  LedgerSummary summary();

  /** A new pass over all files. */
  Batches batches();

  /** Hands on all files, batch by batch. */
  default void each(Action action) throws IOException, InterruptedException {
    Batches batches = batches();
    for (Optional<List<Upload>> batch = batches.next(); batch.isPresent(); batch = batches.next()) {
      action.run(batch.get());
    }
  }

  /** What is done with a batch. */
  @FunctionalInterface
  interface Action {
    void run(List<Upload> batch) throws IOException, InterruptedException;
  }

  /** One pass; not for use by several threads. */
  interface Batches {
    /** The next files, at most {@link #BATCH}; empty at the end. */
    Optional<List<Upload>> next() throws IOException, InterruptedException;
  }
}
