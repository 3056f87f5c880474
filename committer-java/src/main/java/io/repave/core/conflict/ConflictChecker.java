package io.repave.core.conflict;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.HeadStore;
import io.repave.core.engine.TableContext;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitFailedException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.History;
import java.io.IOException;
import java.util.Optional;

/**
 * Why a commit may not be reserved in a head: another one changed what it replaces, or what it
 * builds on is gone.
 *
 * <p>Requests: none while the head is the one that the job began with; otherwise 1 HEAD of the mark
 * of refused commits and, for a job that replaces, 1 GET for each commit published since.
 */
public final class ConflictChecker {
  private final TableContext context;
  private final ConcurrentCommits neighbours;
  private final HeadStore.Seen begun;

  /** {@code begun} is the head as the job saw it when it began: its version is the base. */
  public ConflictChecker(TableContext context, ConcurrentCommits neighbours, HeadStore.Seen begun) {
    this.context = context;
    this.neighbours = neighbours;
    this.begun = begun;
  }

  /** What forbids a reservation in the head that was seen; empty when nothing does. */
  public Optional<IOException> against(LedgerIndex index, HeadStore.Seen seen)
      throws IOException, InterruptedException {
    // Versions of two tables cannot be compared, and new records would not name the old files.
    if (begun.isDropped(seen.head())) {
      return Optional.of(dropped(index));
    }
    if (marked(index, seen)) {
      return Optional.of(refused(index));
    }
    if (seen.head().isEmpty()) {
      return Optional.empty();
    }
    Head head = seen.head().get();
    if (index.kind() == CommitKind.ROLLBACK && index.target() < head.oldestVersion()) {
      return Optional.of(forgotten(index, head));
    }
    if (index.kind() == CommitKind.ADOPT && head.readers() == Readers.SNAPSHOT) {
      return Optional.of(adopted(index));
    }
    return changed(index, head);
  }

  /**
   * A vacuum marks whom it takes for dead, and a revert whom it takes back, before it swaps the
   * head and its fence. So with the fence unchanged there is no mark; with a mark there from now
   * on, our swap fails.
   */
  private boolean marked(LedgerIndex index, HeadStore.Seen seen)
      throws IOException, InterruptedException {
    if (seen.etag().equals(begun.etag()) || sameFence(seen)) {
      return false;
    }
    return new CancelledCommits(context).holds(index.id().id());
  }

  private boolean sameFence(HeadStore.Seen seen) {
    Optional<String> before = begun.head().map(Head::fence).filter(fence -> !fence.isEmpty());
    return before.isPresent() && before.equals(seen.head().map(Head::fence));
  }

  /** The commit that changed, after this job had begun, what the job replaces. */
  private Optional<IOException> changed(LedgerIndex index, Head head)
      throws IOException, InterruptedException {
    boolean blind = context.settings().conflicts() == ConflictPolicy.LAST_WRITER;
    if (blind || !index.kind().replaces() || head.version() == begun.version()) {
      return Optional.empty();
    }
    for (LoggedCommit commit : new History(context).publishedSince(head, begun.version())) {
      if (commit.kind() != CommitKind.ADOPT && neighbours.overlaps(index.footprint(), commit)) {
        return Optional.of(conflict(index, commit));
      }
    }
    return Optional.empty();
  }

  private CommitConflictException dropped(LedgerIndex index) {
    return new CommitConflictException(
        context.dropped("after commit " + index.id().id() + " had begun")
            + " Nothing of this job was published; run it again.");
  }

  private static CommitFailedException refused(LedgerIndex index) {
    return new CommitFailedException(
        "Commit "
            + index.id().id()
            + " was taken for dead by a vacuum, which may have removed its files, or it was taken back"
            + " because one of them was gone. Nothing of it was published; run the job again, and"
            + " vacuum with a retention that is longer than any job.");
  }

  private static CommitConflictException forgotten(LedgerIndex index, Head head) {
    return new CommitConflictException(
        "Version "
            + index.target()
            + " was vacuumed meanwhile; the oldest that can be brought back is "
            + head.oldestVersion()
            + ". Nothing was changed.");
  }

  /** What lies in such a table later than its first commit may be unpublished: nobody adopts it. */
  private static CommitConflictException adopted(LedgerIndex index) {
    return new CommitConflictException(
        "Commit "
            + index.id().id()
            + " would adopt the files of a table that another job began to write to. Nothing was"
            + " changed; run the job again.");
  }

  private static CommitConflictException conflict(LedgerIndex index, LoggedCommit other) {
    return new CommitConflictException(
        "Commit "
            + index.id().id()
            + " replaces partitions that commit "
            + other.id().id()
            + " changed (version "
            + other.version()
            + ") after this job had begun. Nothing of this job was published. Run it again, or set"
            + " repave.conflict=last-writer if it may replace what it has not seen.");
  }
}
