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
 * Decides which unfinished commits are dead. A commit with a heartbeat is dead when neither its
 * entry in the head nor its heartbeat changed for four intervals, as observed by this process. A
 * commit without a heartbeat is dead when its entry stayed unchanged for a lease. A wrong decision
 * costs duplicate work, but no rows.
 *
 * <p>Observation uses the local clock only. When a commit is observed for the first time, the age
 * of its last sign of life counts too, so that a job which is restarted after a crash does not wait
 * again. The age is measured by the store's clock, which dates both the heartbeat and the response.
 * By the wall clocks of two machines the age counts only when it is more than a lease.
 */
final class Liveness {
  /** The number of beats that a running process may miss. */
  private static final int BEATS = 4;

  /** A store states both times of an age in whole seconds. */
  private static final long AGE_ERROR_MILLIS = 1_000;

  /** The observed state of a commit, and since when it is unchanged. */
  private record Sighting(CommitState state, String beat, long sinceMillis) {}

  private final TableContext context;
  private final Map<CommitId, Sighting> sightings = new HashMap<>();
  private final Set<CommitId> watched = new HashSet<>();

  Liveness(TableContext context) {
    this.context = context;
  }

  /** Notes since when each unfinished commit has its present state. Requests: none. */
  void observe(Head head) {
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

  /**
   * Milliseconds until a commit counts as dead. Requests: 1 HEAD if it has a heartbeat; 1 more at
   * first sight if it never wrote one and seems old.
   */
  long millisLeft(ActiveCommit commit) throws IOException, InterruptedException {
    if (commit.heartbeatMillis() == 0) {
      return leaseLeft(commit);
    }
    boolean atFirstSight = watched.add(commit.id());
    Sighting before = sightings.get(commit.id());
    Optional<ListedObject> beat = beat(commit);
    String tag = beat.map(ListedObject::etag).orElse("");
    long since = before.sinceMillis();
    if (before.beat().isEmpty()
        && isOld(commit, beat.map(ListedObject::modifiedMillis).orElse(0L))) {
      since = now() - graceMillis(commit);
    } else if (atFirstSight) {
      since = now() - Math.min(graceMillis(commit), silentMillis(commit, beat));
    } else if (!tag.equals(before.beat())) {
      since = now();
    }
    sightings.put(commit.id(), new Sighting(commit.state(), tag, since));
    return since + graceMillis(commit) - now();
  }

  /** True when a commit is known to be dead without waiting. */
  boolean isDead(ActiveCommit commit) throws IOException, InterruptedException {
    boolean young = commit.heartbeatMillis() > 0 && !isOld(commit, 0);
    return (!young || watched.contains(commit.id())) && millisLeft(commit) <= 0;
  }

  /**
   * Takes over a dead commit; false when another process is faster. Every waiting process finishes
   * a commit without a heartbeat. Requests: 1 PUT if it has a heartbeat.
   */
  boolean takeOver(ActiveCommit commit) {
    Sighting seen = sightings.get(commit.id());
    if (commit.heartbeatMillis() == 0 || Heartbeat.takeOver(context, commit.id(), seen.beat())) {
      return true;
    }
    // A process is alive, so the observation starts again.
    sightings.put(commit.id(), new Sighting(seen.state(), seen.beat(), now()));
    return false;
  }

  /** How long a commit has surely shown no sign of life, by the store's clock. */
  private long silentMillis(ActiveCommit commit, Optional<ListedObject> beat)
      throws IOException, InterruptedException {
    Optional<ListedObject> last = beat;
    if (last.isEmpty() && age(commit.reservedMillis()) >= graceMillis(commit)) {
      // Its entry is at least as old as the newest head.
      last = context.records().find(context.paths().head());
    }
    return Math.max(0, last.map(ListedObject::ageMillis).orElse(0L) - AGE_ERROR_MILLIS);
  }

  private Optional<ListedObject> beat(ActiveCommit commit)
      throws IOException, InterruptedException {
    return context.records().find(context.paths().heartbeat(commit.id()));
  }

  private long leaseLeft(ActiveCommit commit) {
    return sightings.get(commit.id()).sinceMillis() + context.settings().leaseMillis() - now();
  }

  /** At most a lease, whatever the record says. */
  private long graceMillis(ActiveCommit commit) {
    long lease = context.settings().leaseMillis();
    return Math.min(lease, BEATS * Math.min(commit.heartbeatMillis(), lease));
  }

  /** True when the last sign of life is older than a lease by the local wall clock. */
  private boolean isOld(ActiveCommit commit, long beatMillis) {
    long last = Math.max(commit.reservedMillis(), beatMillis);
    return age(last) >= context.settings().leaseMillis();
  }

  /** Between 0 and a lease, whatever a record says. */
  private long age(long millis) {
    long age = context.clock().wallMillis() - millis;
    return Math.max(0, Math.min(age, context.settings().leaseMillis()));
  }

  private long now() {
    return context.clock().tickMillis();
  }
}
