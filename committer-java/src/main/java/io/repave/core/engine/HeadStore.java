package io.repave.core.engine;

import io.repave.core.record.CommitId;
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

/** Reads the head and swaps it. It resolves every answer that leaves the outcome open. */
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

  /** A change of the head: the head to write, or empty when nothing has to change. */
  @FunctionalInterface
  public interface Change {
    Optional<Head> apply(Optional<Head> current) throws IOException;
  }

  public VersionedHead read() throws IOException, InterruptedException {
    Optional<StoredObject> stored = retry.known(() -> store.read(at, RecordCodec.BYTES_MAX));
    if (stored.isEmpty()) {
      return new VersionedHead(Optional.empty(), "");
    }
    return new VersionedHead(
        Optional.of(HeadJson.read(stored.get().content(), at.toString())), stored.get().etag());
  }

  /** Tries once to replace the head that was read. Every written head has its own nonce. */
  public VersionedHead swap(VersionedHead seen, Head next) throws StoreException {
    Head.Draft draft = next.change().nonce(nonces.get());
    // A head without a fence comes from a version that did not know fences and may have cancelled
    // commits.
    Head signed = (next.fence().isEmpty() ? draft.fence(nonces.get()) : draft).done();
    ByteBuffer content = ByteBuffer.wrap(HeadJson.write(signed));
    String etag =
        seen.head().isEmpty()
            ? store.putIfAbsent(at, content)
            : store.putIfMatch(at, content, seen.etag());
    return new VersionedHead(Optional.of(signed), etag);
  }

  /**
   * Applies a change, however often other processes win the swap. After an answer that leaves the
   * outcome open it reads the head again, so no change is applied twice; a swap that succeeds makes
   * every earlier try of this one fail. {@code own} is the commit that makes the change.
   */
  public VersionedHead update(VersionedHead from, CommitId own, Change change)
      throws IOException, InterruptedException {
    return update(freshIfBusy(from, own), change);
  }

  /** The same for a change that belongs to no commit. */
  public VersionedHead update(VersionedHead from, Change change)
      throws IOException, InterruptedException {
    VersionedHead seen = from;
    Tries tries = tries();
    while (true) {
      Optional<Head> next = change.apply(seen.head());
      if (next.isEmpty()) {
        return seen;
      }
      try {
        return swap(seen, next.get());
      } catch (StoreException e) {
        seen = tries.next(seen, e).orElseThrow(() -> e);
      }
    }
  }

  /**
   * The head to start a swap from: the head that was read, or, while other commits are unfinished,
   * the current head. A swap from a stale head always fails.
   */
  public VersionedHead freshIfBusy(VersionedHead seen, CommitId own)
      throws IOException, InterruptedException {
    boolean busy =
        seen.head().stream()
            .flatMap(head -> head.active().stream())
            .anyMatch(commit -> !commit.id().equals(own));
    return busy ? read() : seen;
  }

  public Tries tries() {
    return new Tries();
  }

  /** The tries of one swap. Each starts from a head that was read after the pause. */
  public final class Tries {
    private final Retry.Attempts outages = retry.begin();
    private final Retry.Races races = retry.races();

    /** The head to start the next try from; empty when the answer is final or no try is left. */
    public Optional<VersionedHead> next(VersionedHead tried, StoreException answer)
        throws IOException, InterruptedException {
      if (!isOutcomeOpen(answer)) {
        return Optional.empty();
      }
      if (answer.kind() == Kind.REFUSED) {
        races.pause();
        VersionedHead now = read();
        if (!now.etag().equals(tried.etag())) {
          return Optional.of(now);
        }
        // The head did not change: the store refused for another reason.
      }
      return outages.pause() ? Optional.of(read()) : Optional.empty();
    }
  }

  /** True when a swap may have succeeded: an own earlier try may have caused the refusal. */
  public static boolean isOutcomeOpen(StoreException e) {
    return e.kind() == Kind.REFUSED || e.kind() == Kind.UNKNOWN;
  }
}
