package io.repave.s3;

import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.StoredObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/**
 * Tests a store for each {@link StoreCheck} with temporary objects: 20 requests, or 21 if it has to
 * look up a winner; 6 if the store refuses the first writes. A race with one winner proves nothing,
 * but two winners, or an accepted late write, prove that jobs cannot share the store.
 */
public final class CapabilityProbe {
  /** How many writers race for one object. */
  public static final int RACERS = 4;

  private static final int MOST_BYTES = 100;
  private static final String UPLOAD = "-upload";

  private final ObjectStore store;
  private final Location at;
  private final ParallelRunner runner;
  private final ListingProbe listing;
  private final Map<StoreCheck, String> failed = new EnumMap<>(StoreCheck.class);

  /**
   * Writes below a table's records folder. {@code runner} must run {@link #RACERS} actions at the
   * same time, or the races prove nothing.
   */
  public CapabilityProbe(ObjectStore store, Location records, ParallelRunner runner) {
    this.store = store;
    this.runner = runner;
    at = records.resolve("probe-" + UUID.randomUUID());
    // Not below the raced object: some servers, such as MinIO, hide or refuse keys below an object.
    listing = new ListingProbe(store, beside("-keys"));
  }

  /** Throws if the store cannot be reached, so that nothing is known about it. */
  public Capabilities run() throws IOException, InterruptedException {
    try {
      Optional<String> created = raceCreates();
      if (created.isPresent()) {
        raceSwaps(created.get());
      }
      // Nothing else matters for a store that is refused.
      if (failed.isEmpty()) {
        failed.putAll(listing.run(runner));
        askForAbortedUpload();
      }
    } finally {
      clear();
    }
    return new Capabilities(failed);
  }

  /** For a single writer, which needs no conditional writes: 8 requests. */
  Capabilities runWithoutConditions() throws IOException, InterruptedException {
    try {
      failed.putAll(listing.run(runner));
    } finally {
      clear();
    }
    return new Capabilities(failed);
  }

  /** The tag of the object that the race created. */
  private Optional<String> raceCreates() throws IOException, InterruptedException {
    Race race = new Race(content -> store.putIfAbsent(at, content));
    race.run(runner, "create");
    if (!race.invalid.isEmpty()) {
      requireWritable();
      failed.put(StoreCheck.CREATE_SUPPORTED, race.invalid.peek());
      return Optional.empty();
    }
    if (race.tags.size() == 1) {
      return Optional.of(race.tags.peek());
    }
    if (race.tags.size() > 1) {
      failed.put(StoreCheck.CREATE_RACE, race.winners());
      return Optional.empty();
    }
    // All were refused: a retry inside the SDK may have met its own first try.
    Optional<StoredObject> left = store.read(at, MOST_BYTES);
    if (left.isEmpty()) {
      failed.put(StoreCheck.CREATE_ABSENT, "");
    }
    return left.map(StoredObject::etag);
  }

  /**
   * A store may refuse every write, as with a disabled encryption key. Then nothing is known of
   * conditions, and its own answer is the reason.
   */
  private void requireWritable() throws StoreException {
    store.put(at, content("plain"));
  }

  private void raceSwaps(String tag) throws IOException, InterruptedException {
    Race race = new Race(content -> store.putIfMatch(at, content, tag));
    race.run(runner, "swap");
    if (!race.invalid.isEmpty()) {
      failed.put(StoreCheck.SWAP_SUPPORTED, race.invalid.peek());
      return;
    }
    if (race.tags.size() > 1) {
      failed.put(StoreCheck.SWAP_RACE, race.winners());
      return;
    }
    try {
      store.putIfMatch(at, content("late"), tag);
      failed.put(StoreCheck.SWAP_LATE, "");
    } catch (StoreException e) {
      if (e.kind() != Kind.REFUSED) {
        throw e;
      }
      if (race.tags.isEmpty() && isAsCreated(tag)) {
        failed.put(StoreCheck.SWAP_CURRENT, "");
      }
    }
  }

  private boolean isAsCreated(String tag) throws StoreException {
    return store.read(at, MOST_BYTES).map(StoredObject::etag).filter(tag::equals).isPresent();
  }

  private void askForAbortedUpload() throws StoreException {
    Location gone = beside(UPLOAD);
    String uploadId = store.createUpload(gone);
    store.abort(gone, uploadId);
    try {
      store.complete(
          new PendingUpload(gone, uploadId, 1, List.of("0cc175b9c0f1b6a831c399e269772661")));
      failed.put(StoreCheck.ABORTED_UPLOAD_FAILS, "");
    } catch (StoreException e) {
      if (e.kind() != Kind.ABSENT) {
        failed.put(StoreCheck.ABORTED_UPLOAD_TOLD, e.getMessage());
      }
    }
  }

  private Location beside(String suffix) {
    return new Location(at.bucket(), at.key() + suffix);
  }

  /** Failures to delete are findings, too: only small objects remain. */
  private void clear() {
    try {
      List<Location> keys = new ArrayList<>(listing.keys());
      keys.add(at);
      // There only if the store completed an upload that was aborted.
      keys.add(beside(UPLOAD));
      for (DeleteFailure each : store.delete(keys)) {
        failed.put(StoreCheck.DELETE, "It kept " + each.at() + ": " + each.reason());
      }
    } catch (StoreException e) {
      failed.put(StoreCheck.DELETE, "It kept " + at + ": " + e.getMessage());
    }
  }

  private static ByteBuffer content(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A conditional write. */
  @FunctionalInterface
  private interface Write {
    String send(ByteBuffer content) throws StoreException;
  }

  /** Concurrent writers with the same condition, and the tags of the winners. */
  private static final class Race {
    private final Write write;
    private final Queue<String> tags = new ConcurrentLinkedQueue<>();
    private final Queue<String> invalid = new ConcurrentLinkedQueue<>();

    Race(Write write) {
      this.write = write;
    }

    void run(ParallelRunner runner, String name) throws IOException, InterruptedException {
      runner.each(IntStream.range(0, RACERS).iterator(), racer -> send(name + " " + racer));
    }

    String winners() {
      return tags.size() + " of " + RACERS + " writers succeeded.";
    }

    private void send(String text) throws StoreException {
      try {
        tags.add(write.send(content(text)));
      } catch (StoreException e) {
        if (e.kind() == Kind.INVALID) {
          invalid.add(e.getMessage());
        } else if (e.kind() != Kind.REFUSED) {
          throw e;
        }
      }
    }
  }
}
