package io.repave.core.conflict;

import io.repave.core.engine.TableContext;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.store.ListedObject;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which unfinished commits are dead. One with a heartbeat is when neither its entry nor its
 * heartbeat changed for four beats, as watched from here; one without, when its entry stood
 * unchanged for a lease. Whoever is wrong about it does work twice, and loses no row.
 *
 * <p>No clock but our own has a part in watching. Only of a commit that is seen for the first time
 * the age counts, by wall clocks of two machines: one that was decided, and showed its last sign of
 * life, more than a lease ago is dead at once, so that nobody waits hours after a crash.
 */
final class Liveness {
  /** Beats that a living process may miss. */
  private static final int BEATS = 4;

  /** What was seen of a commit, and since when it stands like that. */
  private record Sighting(CommitState state, String beat, long sinceMillis) {}

  private final TableContext context;
  private final Map<CommitId, Sighting> sightings = new HashMap<>();
  private final Set<CommitId> watched = new HashSet<>();

  Liveness(TableContext context) {
    this.context = context;
  }

  /** Notes since when each unfinished commit stands as it does. No request. */
  void see(Head head) {
    for (ActiveCommit commit : head.active()) {
      Sighting before = sightings.get(commit.id());
      if (before == null) {
        long since = commit.heartbeatMillis() > 0 ? now() : now() - age(commit.reservedMillis());
        sightings.put(commit.id(), new Sighting(commit.state(), "", since));
      } else if (before.state() != commit.state()) {
        sightings.put(commit.id(), new Sighting(commit.state(), before.beat(), now()));
      }
    }
  }

  /** Milliseconds until a commit is taken for dead; 1 HEAD if it has a heartbeat. */
  long left(ActiveCommit commit) throws IOException, InterruptedException {
    if (commit.heartbeatMillis() == 0) {
      return leaseLeft(commit);
    }
    watched.add(commit.id());
    Sighting before = sightings.get(commit.id());
    Optional<ListedObject> beat = beat(commit);
    String tag = beat.map(ListedObject::etag).orElse("");
    if (!tag.equals(before.beat())) {
      boolean first = before.beat().isEmpty();
      long last = beat.map(ListedObject::modifiedMillis).orElse(0L);
      long since = first && isOld(commit, last) ? now() - patience(commit) : now();
      sightings.put(commit.id(), new Sighting(commit.state(), tag, since));
    } else if (beat.isEmpty() && isOld(commit, 0)) {
      return 0;
    }
    return sightings.get(commit.id()).sinceMillis() + patience(commit) - now();
  }

  /** True when a commit is dead as far as can be told without waiting. */
  boolean isDead(ActiveCommit commit) throws IOException, InterruptedException {
    boolean young = commit.heartbeatMillis() > 0 && !isOld(commit, 0);
    return (!young || watched.contains(commit.id())) && left(commit) <= 0;
  }

  /**
   * Takes a dead commit over; false when another process is faster. 1 PUT. One without a heartbeat
   * is finished by everybody who waits.
   */
  boolean take(ActiveCommit commit) {
    Sighting seen = sightings.get(commit.id());
    if (commit.heartbeatMillis() == 0 || Heartbeat.take(context, commit.id(), seen.beat())) {
      return true;
    }
    // Somebody lives: the watch begins anew.
    sightings.put(commit.id(), new Sighting(seen.state(), seen.beat(), now()));
    return false;
  }

  private Optional<ListedObject> beat(ActiveCommit commit)
      throws IOException, InterruptedException {
    return context
        .retry()
        .known(() -> context.store().head(context.paths().heartbeat(commit.id())));
  }

  private long leaseLeft(ActiveCommit commit) {
    return sightings.get(commit.id()).sinceMillis() + context.settings().leaseMillis() - now();
  }

  /** A lease at most, whatever the record says. */
  private long patience(ActiveCommit commit) {
    long lease = context.settings().leaseMillis();
    return Math.min(lease, BEATS * Math.min(commit.heartbeatMillis(), lease));
  }

  /** True when the last sign of life is a lease old by our wall clock. */
  private boolean isOld(ActiveCommit commit, long beatMillis) {
    long last = Math.max(commit.reservedMillis(), beatMillis);
    return age(last) >= context.settings().leaseMillis();
  }

  /** From none to a lease, whatever a record says. */
  private long age(long millis) {
    long age = context.clock().wallMillis() - millis;
    return Math.max(0, Math.min(age, context.settings().leaseMillis()));
  }

  private long now() {
    return context.clock().tickMillis();
  }
}
