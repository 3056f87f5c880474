package io.repave.core.commit;

import io.repave.core.conflict.AwaitUnfinishedCommits;
import io.repave.core.conflict.ConcurrentCommits;
import io.repave.core.conflict.ConflictChecker;
import io.repave.core.conflict.Fence;
import io.repave.core.conflict.HeadSpace;
import io.repave.core.conflict.StarvationGuard;
import io.repave.core.conflict.TokenCheck;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.HeadStore;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.History;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.util.Optional;

/**
 * Step 2: the decision. Once the head names this commit, it will be finished, by us or by whoever
 * comes; before that, nothing of it is visible and nothing will be.
 *
 * <p>Requests: 1 PUT If-Match (and 1 GET for each time that somebody else was faster). Readers see:
 * the old rows. If we die here: decided or not, never both; the head tells.
 */
public final class Reserve {
  /**
   * The head in which this commit is reserved; or, if {@code earlier} is there, the commit that had
   * done this work already, and then nothing is to be done.
   */
  public record Reservation(VersionedHead seen, Optional<LoggedCommit> earlier) {}

  private final TableContext context;
  private final HeadStore heads;
  private final ConcurrentCommits concurrent;
  private final ConflictChecker checker;
  private final VersionedHead begun;
  private final Head empty;
  private StarvationGuard guard;
  private boolean sent;

  /**
   * Waits for the unfinished commits that the request has to see, and takes the head after them as
   * the job's base; {@code first} is the head as just read.
   */
  static Reserve begin(
      TableContext context, Recovery recovery, CommitRequest request, VersionedHead first)
      throws IOException, InterruptedException {
    ConflictChecker checker = new ConflictChecker(context);
    ConcurrentCommits concurrent =
        new ConcurrentCommits(context, checker, commits -> recovery.finish(commits).failures());
    VersionedHead base =
        new AwaitUnfinishedCommits(context, checker, concurrent).run(request, first);
    return new Reserve(context, checker, concurrent, base);
  }

  /** {@code begun} is the head as the job saw it when it began: its version is the base. */
  public Reserve(
      TableContext context,
      ConflictChecker checker,
      ConcurrentCommits concurrent,
      VersionedHead begun) {
    this.context = context;
    this.heads = context.heads();
    this.concurrent = concurrent;
    this.checker = checker;
    this.begun = begun;
    this.empty = Head.first(context.ports().nonces().get(), context.settings().readers());
    concurrent.see(begun.head().orElse(empty));
  }

  /** True once a request was sent that may have decided the commit. */
  public boolean sent() {
    return sent;
  }

  public Reservation run(LedgerIndex index) throws IOException, InterruptedException {
    try (var span = context.meter().begin(Step.RESERVE, 0)) {
      return reserve(index);
    } catch (StoreException e) {
      throw unresolved(index, e);
    } catch (InterruptedException e) {
      if (sent) {
        Thread.currentThread().interrupt();
        throw unresolved(index, e);
      }
      throw e;
    }
  }

  private Reservation reserve(LedgerIndex index) throws IOException, InterruptedException {
    VersionedHead seen = heads.unlessBusy(begun, index.id());
    HeadStore.Tries tries = heads.tries();
    concurrent.forgetFailures();
    guard = new StarvationGuard(context, index);
    while (true) {
      Head head = seen.head().orElse(empty);
      if (head.active(index.id()).isPresent()) {
        return new Reservation(seen, Optional.empty());
      }
      Optional<LoggedCommit> over = over(index, head);
      if (over.isPresent()) {
        if (concurrent.waited(over.get(), head)) {
          seen = heads.read();
          continue;
        }
        return new Reservation(seen, over);
      }
      Optional<IOException> reason = checker.reasonToFail(index, begun, seen);
      if (reason.isPresent()) {
        giveUp(index, seen, reason.get());
        seen = heads.read();
        continue;
      }
      if (waited(index, seen, head)) {
        // That was no request without an answer: what comes now has its whole budget.
        tries = heads.tries();
        seen = guard.ask(heads.read(), concurrent.waitedFor());
        continue;
      }
      Optional<Head> next = HeadSpace.adding(guard.cleared(head), entry(index));
      if (next.isEmpty() && waitedForRoom(index, seen, head) || guard.yielded(head)) {
        tries = heads.tries();
        seen = heads.read();
        continue;
      }
      boolean before = sent;
      try {
        sent = true;
        return new Reservation(heads.swap(seen, next.get()), Optional.empty());
      } catch (StoreException e) {
        if (!HeadStore.open(e) && !before) {
          // Refused, and no other try is under way: nothing is in doubt that needs a fence.
          sent = false;
          throw failed(index, e);
        }
        Optional<VersionedHead> again = tries.next(seen, e);
        seen = again.isPresent() ? again.get() : heads.read();
        if (again.isEmpty()) {
          giveUp(index, seen, failed(index, e));
        }
      }
    }
  }

  private boolean waited(LedgerIndex index, VersionedHead seen, Head head)
      throws IOException, InterruptedException {
    try {
      return concurrent.waited(index, head);
    } catch (IOException stuck) {
      giveUp(index, seen, stuck);
      return true;
    }
  }

  private boolean waitedForRoom(LedgerIndex index, VersionedHead seen, Head head)
      throws IOException, InterruptedException {
    try {
      concurrent.waitFor(head.active().get(0), head);
    } catch (IOException stuck) {
      giveUp(index, seen, stuck);
    }
    return true;
  }

  /** What settles whether this reservation is decided. */
  public Fence fence() {
    return new Fence(context, begun);
  }

  /** Throws what stopped us, unless the commit turns out to be decided after all. */
  private void giveUp(LedgerIndex index, VersionedHead seen, IOException why)
      throws IOException, InterruptedException {
    if (!sent || fence().run(index.id(), seen, empty) != Fence.Finding.DECIDED) {
      sent = false;
      guard.withdraw();
      throw why;
    }
  }

  /** This commit, if it is over already, or the one that did the same work under its token. */
  private Optional<LoggedCommit> over(LedgerIndex index, Head head)
      throws IOException, InterruptedException {
    Optional<LoggedCommit> own =
        sent
            ? new History(context).ended(head, index.id(), begun.version())
            : head.logged(index.id());
    if (own.isPresent() && own.get().reverted()) {
      throw Revert.reverted(index.id());
    }
    return own.isPresent() ? own : new TokenCheck(context).published(index.token(), head);
  }

  private ActiveCommit entry(LedgerIndex index) {
    return new ActiveCommit(
        index.id(),
        index.kind(),
        CommitState.PENDING,
        begun.version(),
        0,
        index.token(),
        context.clock().wallMillis(),
        context.settings().heartbeatMillis(),
        index.footprint().outline());
  }

  private CommitFailedException failed(LedgerIndex index, Exception cause) {
    return new CommitFailedException(
        "Commit "
            + index.id().id()
            + " could not be reserved in "
            + context.paths().head()
            + ": "
            + cause.getMessage()
            + ". Nothing was published; mend the cause and run the job again.",
        cause);
  }

  private IOException unresolved(LedgerIndex index, Exception cause) {
    if (!sent) {
      return failed(index, cause);
    }
    return new CommitStateUnknownException(
        "Whether commit "
            + index.id().id()
            + " is decided is not known: the store gave no answer about "
            + context.paths().head()
            + " ("
            + cause.getMessage()
            + "). Delete nothing, and before the job runs again run: "
            + context.recoverCommand(),
        cause);
  }
}
