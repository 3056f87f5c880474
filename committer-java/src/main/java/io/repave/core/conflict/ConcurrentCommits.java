package io.repave.core.conflict;

import io.repave.core.engine.TableContext;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
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
 * Waits for the unfinished commits of other writers, and finishes the dead ones. Which commits have
 * to be waited for is the {@link ConflictChecker}'s decision; which are dead, {@link Liveness}'s.
 */
public final class ConcurrentCommits {
  /** Finishes other commits, each as far as it goes. */
  @FunctionalInterface
  public interface Help {
    /** Returns why some of them could not be finished. */
    Map<CommitId, IOException> finish(List<ActiveCommit> commits)
        throws IOException, InterruptedException;
  }

  private static final long POLL_FIRST_MILLIS = 50;
  private static final long POLL_MOST_MILLIS = 500;

  private final TableContext context;
  private final ConflictChecker checker;
  private final Help help;
  private final Liveness liveness;
  private final Map<CommitId, IOException> failures = new HashMap<>();
  private final Set<CommitId> announced = new HashSet<>();
  private final Map<CommitId, Integer> polls = new HashMap<>();

  public ConcurrentCommits(TableContext context, ConflictChecker checker, Help help) {
    this.context = context;
    this.checker = checker;
    this.help = help;
    this.liveness = new Liveness(context);
  }

  /** Notes since when each unfinished commit stands as it does. */
  public void see(Head head) {
    liveness.see(head);
  }

  /** Waits a while for, or finishes, a commit that stands in the way; false when none does. */
  public boolean waited(LedgerIndex index, Head head) throws IOException, InterruptedException {
    see(head);
    for (ActiveCommit other : head.active()) {
      if (checker.mustFinishFirst(index, other)) {
        waitFor(other, head);
        return true;
      }
    }
    return false;
  }

  /** The same for a commit that is published, as long as it has something left to do. */
  public boolean waited(LoggedCommit published, Head head)
      throws IOException, InterruptedException {
    Optional<ActiveCommit> unfinished = head.active(published.id());
    if (unfinished.isPresent()) {
      waitFor(unfinished.get(), head);
    }
    return unfinished.isPresent();
  }

  /**
   * Finishes every commit of a head that is taken for dead, whatever its kind: one that nobody
   * waits for would stay half visible, or show its rows weeks later. Returns false when none was.
   */
  boolean finishedDead(Head head) throws IOException, InterruptedException {
    see(head);
    List<ActiveCommit> dead = new ArrayList<>();
    for (ActiveCommit commit : head.active()) {
      boolean tried = failures.containsKey(commit.id());
      if (!tried && liveness.isDead(commit) && liveness.take(commit)) {
        context.ports().progress().helps(commit.id());
        dead.add(commit);
      }
    }
    if (dead.isEmpty()) {
      return false;
    }
    Map<CommitId, IOException> failed = help.finish(dead);
    failed.forEach((id, why) -> context.ports().progress().blocked(id, why.getMessage()));
    failures.putAll(failed);
    return true;
  }

  /** How many commits this one had to wait for so far. */
  public int waitedFor() {
    return polls.size();
  }

  /** Lets commits that could not be finished be tried again. */
  public void forgetFailures() {
    failures.clear();
  }

  /**
   * Waits a while for a commit of this head, or finishes it, and all others that are dead, when its
   * lease has run out. Throws what keeps it from being finished.
   */
  public void waitFor(ActiveCommit other, Head head) throws IOException, InterruptedException {
    see(head);
    long left = liveness.left(other);
    if (left > 0) {
      if (announced.add(other.id())) {
        context.ports().progress().waits(other.id(), left);
      }
      // Most commits are over in a moment; who waits longer looks twice a second.
      int looked = polls.merge(other.id(), 1, Integer::sum);
      long poll = Math.min(POLL_MOST_MILLIS, POLL_FIRST_MILLIS << Math.min(looked - 1, 10));
      context.clock().sleep(Math.min(left, poll));
      return;
    }
    finishedDead(head);
    IOException failure = failures.get(other.id());
    if (failure != null) {
      throw stuck(context, other.id(), failure);
    }
  }

  /** What a job fails with when it cannot wait for, or finish, another commit. */
  static IOException stuck(TableContext context, CommitId other, IOException why) {
    String message =
        "Commit "
            + other.id()
            + " of the table "
            + context.paths().root()
            + " is unfinished, stands in the way of this job, and could not be finished: "
            + why.getMessage()
            + " Nothing of this job was published. Fix the cause, then run: "
            + context.recoverCommand();
    if (why instanceof InvalidRecordException) {
      return new InvalidRecordException(message, why);
    }
    return why instanceof InvalidConfigException ? why : new CommitFailedException(message, why);
  }
}
