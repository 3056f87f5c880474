package io.repave.core.step;

import io.repave.core.ConflictPolicy;
import io.repave.core.Step;
import io.repave.core.error.CommitConflict;
import io.repave.core.error.CommitFailed;
import io.repave.core.error.CommitStateUnknown;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
  public record Reservation(HeadStore.Seen seen, Optional<LoggedCommit> earlier) {}

  private final StepContext context;
  private final HeadStore heads;
  private final Neighbours neighbours;
  private final HeadStore.Seen begun;
  private final Head empty;
  private boolean sent;

  /** {@code begun} is the head as the job saw it when it began: its version is the base. */
  public Reserve(StepContext context, Neighbours neighbours, HeadStore.Seen begun) {
    this.context = context;
    this.heads = context.heads();
    this.neighbours = neighbours;
    this.begun = begun;
    this.empty = Head.first(context.ports().nonces().get(), context.settings().readers());
    neighbours.see(begun.head().orElse(empty));
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
    HeadStore.Seen seen = begun;
    Retry.Attempts attempts = context.retry().begin();
    while (true) {
      Head head = seen.head().orElse(empty);
      if (head.active(index.id()).isPresent()) {
        return new Reservation(seen, Optional.empty());
      }
      Optional<LoggedCommit> over = over(index, head);
      if (over.isPresent()) {
        if (neighbours.waited(over.get(), head)) {
          seen = heads.read();
          continue;
        }
        return new Reservation(seen, over);
      }
      Optional<IOException> refusal = refusal(index, seen);
      if (refusal.isPresent()) {
        giveUp(index, seen, refusal.get());
        seen = heads.read();
        continue;
      }
      if (neighbours.waited(index, head)) {
        // That was no request without an answer: what comes now has its whole budget.
        attempts = context.retry().begin();
        seen = heads.read();
        continue;
      }
      boolean before = sent;
      try {
        sent = true;
        return new Reservation(heads.swap(seen, reserved(index, head)), Optional.empty());
      } catch (StoreException e) {
        boolean open = HeadStore.open(e);
        if (!open && !before) {
          // Refused, and no other try is under way: nothing is in doubt that needs a fence.
          sent = false;
          throw failed(index, e);
        }
        seen = heads.read();
        if (!open || !attempts.pause()) {
          giveUp(index, seen, failed(index, e));
        }
      }
    }
  }

  /** What settles whether this reservation is decided. */
  public Fence fence() {
    return new Fence(context, begun);
  }

  /** Throws what stopped us, unless the commit turns out to be decided after all. */
  private void giveUp(LedgerIndex index, HeadStore.Seen seen, IOException why)
      throws IOException, InterruptedException {
    if (!sent || fence().run(index.id(), seen, empty) != Fence.Finding.DECIDED) {
      sent = false;
      throw why;
    }
  }

  /** This commit, if it is over already, or the one that did the same work under its token. */
  private Optional<LoggedCommit> over(LedgerIndex index, Head head)
      throws IOException, InterruptedException {
    Optional<LoggedCommit> own =
        sent
            ? new Snapshots(context).ended(head, index.id(), begun.version())
            : head.logged(index.id());
    if (own.isPresent() && own.get().reverted()) {
      throw Revert.reverted(index.id());
    }
    return own.isPresent() ? own : neighbours.sameToken(index, head);
  }

  /** Why this commit may not be reserved in a head: another one changed what it replaces. */
  private Optional<IOException> refusal(LedgerIndex index, HeadStore.Seen seen)
      throws IOException, InterruptedException {
    Head head = seen.head().orElse(empty);
    // Versions of two tables cannot be compared, and new records would not name the old files.
    if (begun.isDropped(seen.head())) {
      return Optional.of(dropped(index));
    }
    if (refused(index, seen)) {
      return Optional.of(gone(index));
    }
    if (index.kind() == CommitKind.ROLLBACK && index.target() < head.oldestVersion()) {
      return Optional.of(forgotten(index, head));
    }
    if (index.kind() == CommitKind.ADOPT && head.readers() == Readers.SNAPSHOT && head != empty) {
      return Optional.of(adopted(index));
    }
    boolean blind = context.settings().conflicts() == ConflictPolicy.LAST_WRITER;
    if (blind || !index.kind().replaces() || head.version() == begun.version()) {
      return Optional.empty();
    }
    for (LoggedCommit commit : new Snapshots(context).publishedSince(head, begun.version())) {
      if (commit.kind() != CommitKind.ADOPT
          && neighbours.overlaps(index.footprint(), commit.id())) {
        return Optional.of(conflict(index, commit));
      }
    }
    return Optional.empty();
  }

  /**
   * A vacuum marks whom it takes for dead, and a revert whom it takes back, before it swaps the
   * head. So with the head unchanged there is no mark; with a mark there from now on, our swap
   * fails.
   */
  private boolean refused(LedgerIndex index, HeadStore.Seen seen)
      throws IOException, InterruptedException {
    if (seen.etag().equals(begun.etag())) {
      return false;
    }
    return new RefusedCommits(context).holds(index.id().id());
  }

  private CommitConflict dropped(LedgerIndex index) {
    return new CommitConflict(
        context.dropped("after commit " + index.id().id() + " had begun")
            + " Nothing of this job was published; run it again.");
  }

  private static CommitFailed gone(LedgerIndex index) {
    return new CommitFailed(
        "Commit "
            + index.id().id()
            + " was taken for dead by a vacuum, which may have removed its files, or it was taken back"
            + " because one of them was gone. Nothing of it was published; run the job again, and"
            + " vacuum with a retention that is longer than any job.");
  }

  private static CommitConflict forgotten(LedgerIndex index, Head head) {
    return new CommitConflict(
        "Version "
            + index.target()
            + " was vacuumed meanwhile; the oldest that can be brought back is "
            + head.oldestVersion()
            + ". Nothing was changed.");
  }

  /** What lies in such a table later than its first commit may be unpublished: nobody adopts it. */
  private static CommitConflict adopted(LedgerIndex index) {
    return new CommitConflict(
        "Commit "
            + index.id().id()
            + " would adopt the files of a table that another job began to write to. Nothing was"
            + " changed; run the job again.");
  }

  private Head reserved(LedgerIndex index, Head head) {
    List<ActiveCommit> active = new ArrayList<>(head.active());
    long now = context.clock().wallMillis();
    active.add(
        new ActiveCommit(
            index.id(), index.kind(), CommitState.PENDING, begun.version(), 0, index.token(), now));
    return head.with(active);
  }

  private static CommitConflict conflict(LedgerIndex index, LoggedCommit other) {
    return new CommitConflict(
        "Commit "
            + index.id().id()
            + " replaces partitions that commit "
            + other.id().id()
            + " changed (version "
            + other.version()
            + ") after this job had begun. Nothing of this job was published. Run it again, or set"
            + " repave.conflict=last-writer if it may replace what it has not seen.");
  }

  private CommitFailed failed(LedgerIndex index, Exception cause) {
    return new CommitFailed(
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
    return new CommitStateUnknown(
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
