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
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/**
 * Tries out whether a store keeps what commits rest on, with objects of its own: 20 requests, 21
 * when a winner is to be looked up. A race that one writer wins proves nothing, but a race that two
 * win, or a late write that is accepted, proves that the store cannot be shared.
 */
public final class CapabilityProbe {
  /** How many writers race for one object. */
  public static final int RACERS = 4;

  private static final int MOST_BYTES = 100;

  private final ObjectStore store;
  private final Location at;
  private final ParallelRunner runner;
  private final ListingProbe listing;
  private final Capabilities.Findings findings = new Capabilities.Findings();

  /**
   * Writes below a table's records folder. {@code runner} must run {@link #RACERS} actions at the
   * same time, or the races prove nothing.
   */
  public CapabilityProbe(ObjectStore store, Location records, ParallelRunner runner) {
    this.store = store;
    this.runner = runner;
    at = records.resolve("probe-" + UUID.randomUUID());
    listing = new ListingProbe(store, at);
  }

  /** Throws when the store cannot be asked, so that nothing is known of it. */
  public Capabilities run() throws IOException, InterruptedException {
    try {
      Optional<String> created = raceCreates();
      if (created.isPresent()) {
        raceSwaps(created.get());
      }
      // Nothing else matters for a store that is refused.
      if (findings.all().isSafe()) {
        listing.run(runner).ifPresent(findings::listingFails);
        askForAbsentUpload();
      }
    } finally {
      clear();
    }
    return findings.all();
  }

  /** For a single writer, who needs no conditional writes: 8 requests. */
  Capabilities runWithoutConditions() throws IOException, InterruptedException {
    try {
      listing.run(runner).ifPresent(findings::listingFails);
    } finally {
      clear();
    }
    return findings.all();
  }

  /** The tag of the one object that the race leaves. */
  private Optional<String> raceCreates() throws IOException, InterruptedException {
    Race race = new Race(content -> store.putIfAbsent(at, content));
    race.run(runner, "create");
    if (!race.invalid.isEmpty()) {
      findings.createsFail(
          "It does not take writes that may only create an object: " + race.invalid.peek());
      return Optional.empty();
    }
    if (race.tags.size() == 1) {
      return Optional.of(race.tags.peek());
    }
    if (race.tags.size() > 1) {
      findings.createsFail(
          "It let "
              + race.tags.size()
              + " of "
              + RACERS
              + " writers create one object, each of which was to succeed only if there was none.");
      return Optional.empty();
    }
    // Refused every one: a retry inside the SDK may have met its own first try.
    Optional<StoredObject> left = store.read(at, MOST_BYTES);
    if (left.isEmpty()) {
      findings.createsFail("It refuses to create an object that is not there.");
    }
    return left.map(StoredObject::etag);
  }

  private void raceSwaps(String tag) throws IOException, InterruptedException {
    Race race = new Race(content -> store.putIfMatch(at, content, tag));
    race.run(runner, "swap");
    if (!race.invalid.isEmpty()) {
      findings.swapsFail(
          "It does not take writes that may only replace what was read: " + race.invalid.peek());
      return;
    }
    if (race.tags.size() > 1) {
      findings.swapsFail(
          "It let "
              + race.tags.size()
              + " of "
              + RACERS
              + " writers replace one object, each of which was to succeed only if nobody had.");
      return;
    }
    try {
      store.putIfMatch(at, content("late"), tag);
      findings.swapsFail("It let a writer replace an object that had changed since it was read.");
    } catch (StoreException e) {
      if (e.kind() != Kind.REFUSED) {
        throw e;
      }
      if (race.tags.isEmpty() && isAsCreated(tag)) {
        findings.swapsFail("It refuses to replace an object by its own tag.");
      }
    }
  }

  private boolean isAsCreated(String tag) throws StoreException {
    return store.read(at, MOST_BYTES).map(StoredObject::etag).filter(tag::equals).isPresent();
  }

  private void askForAbsentUpload() throws StoreException {
    Location gone = new Location(at.bucket(), at.key() + "-upload");
    String uploadId = store.createUpload(gone);
    store.abort(gone, uploadId);
    try {
      store.complete(
          new PendingUpload(gone, uploadId, 1, 1, List.of("0cc175b9c0f1b6a831c399e269772661")));
      findings.uploadsFail("It reports success for an upload that had been aborted.");
    } catch (StoreException e) {
      if (e.kind() != Kind.ABSENT) {
        findings.uploadsFail(
            "It does not say when an upload is gone; Repave looks for the object then, which takes"
                + " a request more. "
                + e.getMessage());
      }
    }
  }

  /** What it leaves behind are small records, so no failure to clear up undoes a finding. */
  private void clear() {
    try {
      List<Location> keys = new ArrayList<>(listing.keys());
      keys.add(at);
      List<DeleteFailure> failed = store.delete(keys);
      failed.forEach(each -> findings.lacks("It did not delete " + at + ": " + each.reason()));
    } catch (StoreException e) {
      findings.lacks("It did not delete " + at + ": " + e.getMessage());
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

  /** Writers with one condition, at the same time: the tags of those that won. */
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
