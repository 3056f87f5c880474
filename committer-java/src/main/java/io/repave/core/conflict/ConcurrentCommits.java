package io.repave.core.conflict;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.ConflictErrors;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Waits for the unfinished commits of other writers, and finishes the dead ones. {@link
 * ConflictChecker} decides which commits a job has to wait for, {@link Liveness} which are dead.
 */
public final class ConcurrentCommits {
  /** Finishes other commits. */
  @FunctionalInterface
  public interface Finisher {
    /** Finishes as many commits as possible; returns the failures of the others. */
    Map<CommitId, IOException> finish(List<ActiveCommit> commits)
        throws IOException, InterruptedException;
  }

  /** Handles one unfinished commit of a head. */
  @FunctionalInterface
  public interface Wait {
    /**
     * Waits once, or finishes the commit; false when there is no need to wait for it any longer.
     */
    boolean once(ActiveCommit other, Head head) throws IOException, InterruptedException;
  }

  private static final long POLL_FIRST_MILLIS = 50;
  private static final long POLL_MOST_MILLIS = 500;

  private final TableContext context;
  private final ConflictChecker checker;
  private final Finisher finisher;
  private final Liveness liveness;
  private final Map<CommitId, IOException> failures = new HashMap<>();
  private final Set<CommitId> announced = new HashSet<>();
  private final Map<CommitId, Integer> polls = new HashMap<>();

  public ConcurrentCommits(TableContext context, ConflictChecker checker, Finisher finisher) {
    this.context = context;
    this.checker = checker;
    this.finisher = finisher;
    this.liveness = new Liveness(context);
  }

  /** Notes since when each unfinished commit has its present state. */
  public void observe(Head head) {
    liveness.observe(head);
  }

  /** Waits once for a commit that blocks this one, or finishes it; false when none does. */
  public boolean waitedForBlocking(LedgerIndex index, Head head)
      throws IOException, InterruptedException {
    observe(head);
    Optional<ActiveCommit> other = blocking(index, head);
    if (other.isPresent()) {
      waitFor(other.get(), head);
    }
    return other.isPresent();
  }

  /** The first unfinished commit that this one has to wait for. */
  public Optional<ActiveCommit> blocking(LedgerIndex index, Head head)
      throws IOException, InterruptedException {
    for (ActiveCommit other : head.active()) {
      if (checker.mustWaitFor(index, other, head)) {
        return Optional.of(other);
      }
    }
    return Optional.empty();
  }

  /** The same for a published commit, as long as it is unfinished. */
  public boolean waitedUntilFinished(LoggedCommit published, Head head)
      throws IOException, InterruptedException {
    Optional<ActiveCommit> unfinished = head.active(published.id());
    if (unfinished.isPresent()) {
      waitFor(unfinished.get(), head);
    }
    return unfinished.isPresent();
  }

  /**
   * Finishes every commit of a head that seems dead, of whatever kind. Otherwise a commit that
   * nobody waits for would stay half visible, or its rows would appear weeks later. Returns false
   * when no commit was dead.
   */
  boolean finishDead(Head head) throws IOException, InterruptedException {
    observe(head);
    List<ActiveCommit> dead = new ArrayList<>();
    for (ActiveCommit commit : head.active()) {
      boolean tried = failures.containsKey(commit.id());
      if (!tried && liveness.isDead(commit) && liveness.takeOver(commit)) {
        context.ports().progress().helps(commit.id());
        dead.add(commit);
      }
    }
    if (dead.isEmpty()) {
      return false;
    }
    Map<CommitId, IOException> failed = finisher.finish(dead);
    failed.forEach((id, why) -> context.ports().progress().blocked(id, why.getMessage()));
    failures.putAll(failed);
    return true;
  }

  /**
   * Looks at commits again and again, one after the other, until each is finished or the wait ends.
   * Returns the last head. Requests: 1 GET for each look after the first.
   */
  public VersionedHead await(List<ActiveCommit> commits, VersionedHead from, Wait wait)
      throws IOException, InterruptedException {
    VersionedHead seen = from;
    for (ActiveCommit commit : commits) {
      Optional<ActiveCommit> other = in(seen, commit.id());
      while (other.isPresent() && wait.once(other.get(), seen.head().orElseThrow())) {
        seen = context.heads().read();
        other = in(seen, commit.id());
      }
    }
    return seen;
  }

  private static Optional<ActiveCommit> in(VersionedHead seen, CommitId id) {
    return seen.head().flatMap(head -> head.active(id));
  }

  /** The number of commits that this one has waited for so far. */
  public int waitedFor() {
    return polls.size();
  }

  /** Allows another try to finish the commits that could not be finished. */
  public void forgetFailures() {
    failures.clear();
  }

  /**
   * Waits once for a commit of this head. When its lease has expired, finishes it and all other
   * dead commits instead. Throws when the commit cannot be finished.
   */
  public void waitFor(ActiveCommit other, Head head) throws IOException, InterruptedException {
    if (waited(other, head)) {
      return;
    }
    IOException failure = failures.get(other.id());
    if (failure != null) {
      throw notFinished(context, other.id(), failure);
    }
  }

  /**
   * Does the same for some commit of a full head: each one that ends frees space. Throws when none
   * of them can be finished.
   */
  public void waitForSpace(Head head) throws IOException, InterruptedException {
    List<ActiveCommit> commits = head.active();
    Optional<ActiveCommit> next =
        commits.stream().filter(it -> !failures.containsKey(it.id())).findFirst();
    if (next.isPresent()) {
      waited(next.get(), head);
    } else {
      waitFor(commits.get(0), head);
    }
  }

  /** False when the lease has expired; then all dead commits were finished, or have failed. */
  private boolean waited(ActiveCommit other, Head head) throws IOException, InterruptedException {
    observe(head);
    long left = liveness.millisLeft(other);
    if (left <= 0) {
      finishDead(head);
      return false;
    }
    if (announced.add(other.id())) {
      context.ports().progress().waits(other.id(), left);
    }
    // Most commits finish quickly; a longer wait looks twice a second.
    int looked = polls.merge(other.id(), 1, Integer::sum);
    long poll = Math.min(POLL_MOST_MILLIS, POLL_FIRST_MILLIS << Math.min(looked - 1, 10));
    context.clock().sleep(Math.min(left, poll));
    return true;
  }

  /** The error of a job that another commit blocks. */
  static IOException notFinished(TableContext context, CommitId other, IOException why) {
    return ConflictErrors.blocked(other.id(), context.paths().root(), why);
  }
}
