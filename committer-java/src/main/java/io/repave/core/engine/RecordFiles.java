package io.repave.core.engine;

import io.repave.core.error.RecordErrors;
import io.repave.core.record.RecordCodec;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Reads and writes the records of a table, except the head, which {@link HeadStore} swaps. Every
 * request is repeated until its outcome is known.
 */
public final class RecordFiles {
  private final ObjectStore store;
  private final Retry retry;

  public RecordFiles(ObjectStore store, Retry retry) {
    this.store = store;
    this.retry = retry;
  }

  /** Reads a record; empty when there is none. Requests: 1 GET. */
  public Optional<byte[]> read(Location at) throws StoreException, InterruptedException {
    return read(at, RecordCodec.BYTES_MAX);
  }

  /** Reads a file of a follower, which may be larger than a record. Requests: 1 GET. */
  public Optional<byte[]> read(Location at, long bytesMax)
      throws StoreException, InterruptedException {
    return retry.known(() -> store.read(at, bytesMax)).map(StoredObject::content);
  }

  /** Reads a record that must exist. Requests: 1 GET. */
  public byte[] readExisting(Location at) throws IOException, InterruptedException {
    return read(at).orElseThrow(() -> RecordErrors.missing(at));
  }

  /** Size, etag and time of a record; empty when there is none. Requests: 1 HEAD. */
  public Optional<ListedObject> find(Location at) throws StoreException, InterruptedException {
    return retry.known(() -> store.head(at));
  }

  /**
   * Writes a record whose key only this commit writes, or whose content is always the same, so that
   * a repeated request changes nothing. Requests: 1 PUT.
   */
  public void put(Location at, byte[] content) throws StoreException, InterruptedException {
    retry.known(() -> store.put(at, ByteBuffer.wrap(content)));
  }

  /**
   * Writes a record unless one exists. Returns empty when this call wrote it. Otherwise returns the
   * existing record, which may come from an earlier try of this call that got no answer. Requests:
   * 1 PUT If-None-Match, and 1 GET when a record exists.
   */
  public Optional<byte[]> putNew(Location at, byte[] content)
      throws StoreException, InterruptedException {
    return putNew(at, content, RecordCodec.BYTES_MAX);
  }

  /** The same for a file of a follower, which may be larger than a record. */
  public Optional<byte[]> putNew(Location at, byte[] content, long bytesMax)
      throws StoreException, InterruptedException {
    Retry.Attempts attempts = retry.begin();
    while (true) {
      try {
        store.putIfAbsent(at, ByteBuffer.wrap(content));
        return Optional.empty();
      } catch (StoreException e) {
        boolean open = HeadStore.isOutcomeOpen(e);
        Optional<byte[]> existing = open ? read(at, bytesMax) : Optional.empty();
        if (existing.isPresent()) {
          return existing;
        }
        if (!open || !attempts.pause()) {
          throw e;
        }
      }
    }
  }
}
