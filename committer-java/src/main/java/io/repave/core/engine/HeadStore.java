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
import io.repave.core.store.Turns;
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
  private final SharedHead shared;

  public HeadStore(
      ObjectStore store, Location at, Retry retry, Supplier<String> nonces, SharedHead shared) {
    this.store = store;
    this.at = at;
    this.retry = retry;
    this.nonces = nonces;
    this.shared = shared;
  }

  /** A change of the head: the head to write, or empty when nothing has to change. */
  @FunctionalInterface
  public interface Change {
    Optional<Head> apply(Optional<Head> current) throws IOException;
  }

  /** A head after a change, and the head that this change replaced; empty if it found it done. */
  public record Changed(VersionedHead now, Optional<Head> before) {}

  public VersionedHead read() throws IOException, InterruptedException {
    awaitLateWrite();
    return parsed(retry.known(this::stored));
  }

  /** Reads the head after another one had been the current one. */
  public VersionedHead readAfter(VersionedHead known) throws IOException, InterruptedException {
    VersionedHead now = read();
    shared.read(now, known);
    return now;
  }

  private Optional<StoredObject> stored() throws StoreException {
    return store.read(at, RecordCodec.BYTES_MAX);
  }

  private VersionedHead parsed(Optional<StoredObject> stored) throws IOException {
    if (stored.isEmpty()) {
      return new VersionedHead(Optional.empty(), "");
    }
    return new VersionedHead(
        Optional.of(HeadJson.read(stored.get().content(), at.toString())), stored.get().etag());
  }

  /**
   * Waits until no write of the head that got no answer can be applied any more; returns how long.
   * After an interrupt, the next read or swap of this process waits for the rest.
   */
  private long awaitLateWrite() throws InterruptedException {
    return retry.awaitTick(shared.lateUntilMillis());
  }

  /** Tries once to replace the head that was read. Every written head has its own nonce. */
  public VersionedHead swap(VersionedHead seen, Head next)
      throws StoreException, InterruptedException {
    awaitLateWrite();
    Head.Draft draft = next.change().nonce(nonces.get());
    // A head without a fence comes from a version that did not know fences and may have cancelled
    // commits.
    Head signed = (next.fence().isEmpty() ? draft.fence(nonces.get()) : draft).done();
    ByteBuffer content = ByteBuffer.wrap(HeadJson.write(signed));
    VersionedHead written = new VersionedHead(Optional.of(signed), put(seen, content));
    shared.swapped(seen, written);
    return written;
  }

  private String put(VersionedHead seen, ByteBuffer content) throws StoreException {
    boolean isAnswered = false;
    try {
      String etag =
          seen.head().isEmpty()
              ? store.putIfAbsent(at, content)
              : store.putIfMatch(at, content, seen.etag());
      isAnswered = true;
      return etag;
    } catch (StoreException e) {
      isAnswered = e.kind() != Kind.UNKNOWN || e.isUnapplied();
      throw e;
    } finally {
      if (!isAnswered) {
        shared.unanswered(retry.lateUntilMillis());
      }
    }
  }

  /**
   * Applies a change, however often other processes win the swap. After an answer that leaves the
   * outcome open it reads the head again, so no change is applied twice. A swap that succeeds makes
   * every earlier try of this one fail. {@code own} is the commit that makes the change.
   */
  public VersionedHead update(VersionedHead from, CommitId own, Change change)
      throws IOException, InterruptedException {
    return change(from, Optional.of(own), change).now();
  }

  /** The same for a change that belongs to no commit. */
  public VersionedHead update(VersionedHead from, Change change)
      throws IOException, InterruptedException {
    return change(from, change).now();
  }

  /** The same, for a caller that has to know whether its own swap made the change. */
  public Changed change(VersionedHead from, Change change)
      throws IOException, InterruptedException {
    return change(from, Optional.empty(), change);
  }

  private Changed change(VersionedHead from, Optional<CommitId> own, Change change)
      throws IOException, InterruptedException {
    VersionedHead seen = from;
    boolean old = true;
    Tries tries = tries();
    while (true) {
      VersionedHead basis = seen;
      try (Turns.Turn turn = shared.turn()) {
        boolean stale = own.isPresent() && (old || turn.waited());
        basis = stale ? newest(seen, own.get()) : shared.newestSince(seen);
        Optional<Head> next = change.apply(basis.head());
        if (next.isPresent()) {
          return new Changed(swap(basis, next.get()), basis.head());
        }
      } catch (StoreException e) {
        seen = tries.next(basis, e).orElseThrow(() -> e);
        old = false;
        continue;
      }
      // Only a swap or a read proves that a head is the current one. The caller may have read its
      // head minutes ago: other processes may have finished, or reverted, the commit since.
      seen = basis == seen && !old ? seen : readAfter(basis);
      old = false;
      if (change.apply(seen.head()).isEmpty()) {
        return new Changed(seen, Optional.empty());
      }
    }
  }

  /** This caller's turn to swap the head, among the threads of this process. */
  public Turns.Turn turn() throws InterruptedException {
    return shared.turn();
  }

  /**
   * The head to swap from after a turn has come: a newer one than {@code seen} if this process
   * wrote it, or the current one if other processes are busy. It is read once and without a retry,
   * because other threads wait for their turn. It serves only as the basis of a swap: nothing else
   * proves that it is still the current head.
   */
  public VersionedHead basis(Turns.Turn turn, VersionedHead seen, CommitId own) throws IOException {
    return turn.waited() ? newest(seen, own) : shared.newestSince(seen);
  }

  private VersionedHead newest(VersionedHead seen, CommitId own) throws IOException {
    VersionedHead known = shared.newestSince(seen);
    return shared.namesCommitOfOthers(known, own) ? parsed(stored()) : known;
  }

  /**
   * The head to start a job's decision from: the head that was read, or, while other commits are
   * unfinished, the current head. A swap from a stale head always fails.
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
    private final Retry.Races races = retry.races();
    private Retry.Attempts outages = retry.begin();

    /** The head to start the next try from; empty when the answer is final or no try is left. */
    public Optional<VersionedHead> next(VersionedHead tried, StoreException answer)
        throws IOException, InterruptedException {
      if (!isOutcomeOpen(answer)) {
        return Optional.empty();
      }
      if (answer.kind() == Kind.REFUSED) {
        races.pause();
        VersionedHead now = readAfter(tried);
        if (!now.etag().equals(tried.etag())) {
          // Swaps succeed again, so an earlier outage is over.
          outages = retry.begin();
          return Optional.of(now);
        }
        // The head did not change: the store refused for another reason.
      } else {
        // Also before the caller gives up: its fence must come after the write.
        outages.leaveOut(awaitLateWrite());
      }
      return outages.pause() ? Optional.of(readAfter(tried)) : Optional.empty();
    }
  }

  /** True when a swap may have succeeded: an own earlier try may have caused the refusal. */
  public static boolean isOutcomeOpen(StoreException e) {
    return e.kind() == Kind.REFUSED || e.kind() == Kind.UNKNOWN;
  }
}
