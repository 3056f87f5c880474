package io.repave.hadoop;

import io.repave.core.engine.FileDeletion;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.runtime.RequestRetry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Task ledgers that are stored as objects, because no message can carry them to the driver. */
public final class LedgerObjects {
  private static final int BYTES_MAX = 1 << 30;

  private final ObjectStore store;
  private final RequestRetry retry;

  public LedgerObjects(ObjectStore store, RequestRetry retry) {
    this.store = store;
    this.retry = retry;
  }

  /** Stores a ledger, and replaces one that exists. */
  public void put(Location at, byte[] ledger) throws IOException {
    retry.send(() -> store.put(at, ByteBuffer.wrap(ledger)));
  }

  /**
   * Reads a ledger. A missing one says nothing about the outcome: the commit may be decided, and
   * other processes may have finished it and deleted the ledger.
   */
  public byte[] read(Location at) throws IOException {
    return retry
        .send(() -> store.read(at, BYTES_MAX))
        .orElseThrow(
            () ->
                new IOException(
                    "The ledger of a task is missing: "
                        + at
                        + ". Run the job again, unless its error says that the commit is decided."))
        .content();
  }

  /** Deletes ledgers that are not needed any more. Vacuum removes what the store keeps. */
  public void delete(List<Location> ledgers) throws IOException {
    for (List<Location> page : FileDeletion.pages(ledgers)) {
      retry.send(() -> store.delete(page));
    }
  }
}
