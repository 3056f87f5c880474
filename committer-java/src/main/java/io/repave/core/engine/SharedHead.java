package io.repave.core.engine;

import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.store.Location;
import io.repave.core.store.Turns;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the jobs of one process share about the head of one table: whose turn it is to swap it, how
 * long a write of this process may still be applied, and the head that its last swap wrote. A job
 * starts its swap from that head, so that jobs of one process do not lose races to each other.
 *
 * <p>No decision depends on that head. It is only a basis for a swap, and the store refuses the
 * swap if it is not the current one.
 */
public final class SharedHead {
  private static final int STEPS_MAX = 256;

  private final Turns turns;

  /** Each head that this process replaced, with the head that it wrote instead. */
  private final Map<String, String> steps = BoundedMap.ofNewest(STEPS_MAX);

  private final Set<CommitId> own = new HashSet<>();
  private long lateUntilMillis = Long.MIN_VALUE;
  private VersionedHead newest = new VersionedHead(Optional.empty(), "");

  public SharedHead(Turns turns) {
    this.turns = turns;
  }

  /** The shared heads of a process. */
  @FunctionalInterface
  public interface Provider {
    SharedHead of(Location head);
  }

  Turns.Turn turn() throws InterruptedException {
    return turns.take();
  }

  /**
   * The newest head that this process knows to come after {@code seen}: every step from one to the
   * other was a swap of this process. Otherwise {@code seen} itself.
   */
  synchronized VersionedHead newestSince(VersionedHead seen) {
    String at = name(seen);
    for (String next = steps.get(at); next != null; next = steps.get(at)) {
      at = next;
    }
    boolean known = newest.head().isPresent() && at.equals(name(newest));
    return known ? newest : seen;
  }

  /**
   * Takes note of the head that was read after {@code known} had been the current one. If {@code
   * known} is remembered to come after it, somebody has put an older head back. Then nothing that
   * is remembered leads to the current head any more.
   */
  synchronized void read(VersionedHead now, VersionedHead known) {
    if (!now.etag().equals(known.etag()) && name(newestSince(now)).equals(name(known))) {
      steps.clear();
    }
  }

  synchronized void swapped(VersionedHead from, VersionedHead to) {
    // Without a head there is nothing to recognize: a table may be dropped and created again.
    if (from.head().isPresent()) {
      steps.put(name(from), name(to));
    }
    Set<CommitId> before = ids(from);
    Set<CommitId> after = ids(to);
    after.stream().filter(id -> !before.contains(id)).forEach(own::add);
    // Answers may arrive in another order than their requests.
    if (!steps.containsKey(name(to))) {
      newest = to;
      own.retainAll(after);
    }
  }

  /** Takes note of a write of the head that got no answer. */
  synchronized void unanswered(long untilMillis) {
    lateUntilMillis = Math.max(lateUntilMillis, untilMillis);
  }

  /** Until when a write of this process may still be applied, on the clock's ticks. */
  synchronized long lateUntilMillis() {
    return lateUntilMillis;
  }

  /** True if the head names an unfinished commit that this process has not reserved. */
  synchronized boolean namesCommitOfOthers(VersionedHead head, CommitId commit) {
    return ids(head).stream().anyMatch(id -> !id.equals(commit) && !own.contains(id));
  }

  private static Set<CommitId> ids(VersionedHead head) {
    Set<CommitId> ids = new HashSet<>();
    head.head()
        .map(Head::active)
        .ifPresent(all -> all.stream().map(ActiveCommit::id).forEach(ids::add));
    return ids;
  }

  /** Unique among all heads of all tables: every head has its own nonce. */
  private static String name(VersionedHead head) {
    return head.etag() + " " + head.head().map(Head::nonce).orElse("");
  }
}
