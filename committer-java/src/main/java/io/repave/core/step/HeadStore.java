package io.repave.core.step;

import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import io.repave.core.record.RecordCodec;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.StoredObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads the head and swaps it, resolving every answer that leaves the outcome open. */
public final class HeadStore {
  private final ObjectStore store;
  private final Location at;
  private final Retry retry;
  private final Supplier<String> nonces;

  public HeadStore(ObjectStore store, Location at, Retry retry, Supplier<String> nonces) {
    this.store = store;
    this.at = at;
    this.retry = retry;
    this.nonces = nonces;
  }

  /** The head at one moment; {@code etag} is "" when there was none. */
  public record Seen(Optional<Head> head, String etag) {
    /** The version; 0 where there was no head. */
    long version() {
      return head.map(Head::version).orElse(0L);
    }

    /**
     * True when the records that were there are gone, or those of another table are in their place.
     */
    public boolean isDropped(Optional<Head> now) {
      return head.isPresent() && !head.map(Head::tableId).equals(now.map(Head::tableId));
    }
  }

  /** A change of the head: what to write, or empty when what was wanted is so already. */
  @FunctionalInterface
  public interface Change {
    Optional<Head> apply(Optional<Head> current) throws IOException;
  }

  public Seen read() throws IOException, InterruptedException {
    Optional<StoredObject> stored = retry.known(() -> store.read(at, RecordCodec.BYTES_MAX));
    if (stored.isEmpty()) {
      return new Seen(Optional.empty(), "");
    }
    return new Seen(
        Optional.of(HeadJson.read(stored.get().content(), at.toString())), stored.get().etag());
  }

  /** One try to replace what was seen. Every head that is written differs by its nonce. */
  public Seen swap(Seen seen, Head next) throws StoreException {
    Head signed = next.withNonce(nonces.get());
    ByteBuffer content = ByteBuffer.wrap(HeadJson.write(signed));
    String etag =
        seen.head().isEmpty()
            ? store.putIfAbsent(at, content)
            : store.putIfMatch(at, content, seen.etag());
    return new Seen(Optional.of(signed), etag);
  }

  /**
   * Brings a change in, however often others are faster. After an answer that leaves the outcome
   * open it reads back: a change that is in is not made twice, and a swap that wins makes every
   * earlier try of this one lose.
   */
  public Seen update(Seen from, Change change) throws IOException, InterruptedException {
    Seen seen = from;
    Retry.Attempts attempts = retry.begin();
    while (true) {
      Optional<Head> next = change.apply(seen.head());
      if (next.isEmpty()) {
        return seen;
      }
      try {
        return swap(seen, next.get());
      } catch (StoreException e) {
        if (!open(e) || !attempts.pause()) {
          throw e;
        }
      }
      seen = read();
    }
  }

  /** True when an answer to a swap says nothing final: refused may be one's own first try. */
  static boolean open(StoreException e) {
    return e.kind() == Kind.REFUSED || e.kind() == Kind.UNKNOWN;
  }
}
