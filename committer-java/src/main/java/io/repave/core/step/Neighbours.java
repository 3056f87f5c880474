package io.repave.core.step;

import io.repave.core.error.RecordRefused;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitState;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.RecordCodec;
import io.repave.core.record.TokenJson;
import io.repave.core.store.Location;
import io.repave.core.store.StoredObject;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The other commits of a table: which of them stand in the way of one, and what to do about it. A
 * commit that stands in the way is waited for; when nothing of it has changed for a lease it is
 * taken for dead and finished. A lease that is too short costs double work, never rows.
 *
 * <p>Of a commit that is seen for the first time, its age counts towards the lease: now less the
 * time at which it says that it was reserved. So a job that is started again hours after a crash
 * goes on at once. Both times are of wall clocks, of two machines even; a clock that is wrong has
 * the effect of another lease.
 */
public final class Neighbours {
  /** Finishes another commit. */
  @FunctionalInterface
  public interface Help {
    void finish(ActiveCommit commit) throws IOException, InterruptedException;
  }

  private record Sighting(CommitState state, long sinceMillis) {}

  private static final long POLL_MILLIS = 500;

  private final StepContext context;
  private final Help help;
  private final Map<CommitId, Sighting> sightings = new HashMap<>();
  private final Map<CommitId, Footprint> footprints = new HashMap<>();
  private final Set<CommitId> announced = new HashSet<>();

  public Neighbours(StepContext context, Help help) {
    this.context = context;
    this.help = help;
  }

  /** Notes since when each unfinished commit stands as it does. */
  void see(Head head) {
    long now = context.clock().tickMillis();
    for (ActiveCommit commit : head.active()) {
      Sighting before = sightings.get(commit.id());
      if (before == null) {
        sightings.put(commit.id(), new Sighting(commit.state(), now - age(commit)));
      } else if (before.state() != commit.state()) {
        sightings.put(commit.id(), new Sighting(commit.state(), now));
      }
    }
  }

  /** From none to a lease, whatever the record says. */
  private long age(ActiveCommit commit) {
    long age = context.clock().wallMillis() - commit.reservedMillis();
    return Math.max(0, Math.min(age, context.settings().leaseMillis()));
  }

  /** Waits a while for, or finishes, a commit that stands in the way; false when none does. */
  boolean waited(LedgerIndex index, Head head) throws IOException, InterruptedException {
    see(head);
    for (ActiveCommit other : head.active()) {
      if (!inTheWay(index, other)) {
        continue;
      }
      waitFor(other);
      return true;
    }
    return false;
  }

  /** The same for a commit that is published, as long as it has something left to do. */
  boolean waited(LoggedCommit published, Head head) throws IOException, InterruptedException {
    Optional<ActiveCommit> unfinished = head.active(published.id());
    if (unfinished.isPresent()) {
      see(head);
      waitFor(unfinished.get());
    }
    return unfinished.isPresent();
  }

  /** Waits a while for a commit that was seen, or finishes it when its lease has run out. */
  void waitFor(ActiveCommit other) throws IOException, InterruptedException {
    long since = sightings.get(other.id()).sinceMillis();
    long left = since + context.settings().leaseMillis() - context.clock().tickMillis();
    if (left > 0) {
      if (announced.add(other.id())) {
        context.ports().progress().waits(other.id(), left);
      }
      context.clock().sleep(Math.min(left, POLL_MILLIS));
    } else {
      context.ports().progress().helps(other.id());
      help.finish(other);
    }
  }

  /** True when two commits touch the same folder, unless both only add. */
  private boolean inTheWay(LedgerIndex index, ActiveCommit other)
      throws IOException, InterruptedException {
    boolean sameToken = !index.token().isEmpty() && index.token().equals(other.token());
    boolean bothAdd = !index.kind().replaces() && !other.kind().replaces();
    return sameToken || !bothAdd && overlaps(index.footprint(), other.id());
  }

  /** Whether a commit touches a folder of a footprint: 1 GET the first time. */
  boolean overlaps(Footprint own, CommitId other) throws IOException, InterruptedException {
    Footprint footprint = footprints.get(other);
    if (footprint == null) {
      footprint = RecordedLedger.open(context, other).index().footprint();
      footprints.put(other, footprint);
    }
    return own.overlaps(footprint);
  }

  /** The published commit that had this commit's token: 1 GET when there is a token. */
  Optional<LoggedCommit> sameToken(LedgerIndex index, Head head)
      throws IOException, InterruptedException {
    String token = index.token();
    if (token.isEmpty()) {
      return Optional.empty();
    }
    for (LoggedCommit commit : head.log()) {
      if (commit.token().equals(token) && !commit.reverted()) {
        return Optional.of(commit);
      }
    }
    Location at = context.paths().token(token);
    Optional<StoredObject> stored =
        context.retry().known(() -> context.store().read(at, RecordCodec.BYTES_MAX));
    if (stored.isEmpty()) {
      return Optional.empty();
    }
    LoggedCommit commit = TokenJson.read(stored.get().content(), at.toString());
    if (!commit.token().equals(token)) {
      throw new RecordRefused(
          "The record " + at + " is that of another token. Nothing was published; remove it.");
    }
    return Optional.of(commit);
  }
}
