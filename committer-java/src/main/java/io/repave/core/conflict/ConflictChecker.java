package io.repave.core.conflict;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitErrors;
import io.repave.core.error.ConflictErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.CommitsSince;
import io.repave.core.snapshot.History;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Decides whether two commits conflict (docs/protocol.md, section 5):
 *
 * <ul>
 *   <li>{@link #mustWaitBeforeBegin}: a job that replaces waits, before its first task, for
 *       unfinished commits that may touch what it replaces.
 *   <li>{@link #mustWaitFor}: a commit is reserved only after every unfinished commit that touches
 *       a folder of its own, unless both only add and no catalog follows the table, and after the
 *       adoption with which a snapshot table begins.
 *   <li>{@link #reasonToFail}: a commit that may not be reserved fails.
 * </ul>
 *
 * <p>A commit fails when
 *
 * <ol>
 *   <li>the table was dropped, or an older head was put back;
 *   <li>vacuum or a revert cancelled the commit;
 *   <li>vacuum removed records of commits that were published after its base;
 *   <li>a commit that was published after its base changed a folder that it replaces. {@code
 *       repave.conflict=last-writer} and adoptions are exempt from this rule;
 *   <li>it is a rollback whose target was vacuumed, or is older than the following of a catalog;
 *   <li>it is an adoption of a snapshot table that has begun already, or any other commit to a
 *       snapshot table that has not: the first version adopts the files from before it;
 *   <li>it has files, and a catalog has begun to follow the table after its base.
 * </ol>
 *
 * <p>Requests: none while the head is the one that the job began with. Otherwise 1 HEAD of the
 * commit's cancellation mark, 1 GET for each checkpoint back to the last head that was examined for
 * this commit, and 1 GET for each other commit whose recorded folders overlap those of this one.
 */
public final class ConflictChecker {
  private final TableContext context;
  private final CommitFootprints footprints;
  private final CommitsSince published;

  public ConflictChecker(TableContext context) {
    this.context = context;
    this.footprints = new CommitFootprints(context);
    this.published = new CommitsSince(context);
  }

  /**
   * True when a job may not begin yet. A dynamic overwrite learns its folders from its tasks, so it
   * waits for every commit that may touch the folders it stays inside.
   */
  boolean mustWaitBeforeBegin(CommitRequest request, ActiveCommit other)
      throws IOException, InterruptedException {
    if (isLastWriter() || !request.kind().replaces()) {
      return false;
    }
    List<String> replaced =
        request.kind() == CommitKind.STATIC ? request.scope() : request.within();
    return isSameToken(request.token(), other)
        || replaced.isEmpty()
        || overlap(Footprint.of(replaced), other);
  }

  /**
   * True when a job can begin although another commit is unfinished and cannot be finished. A
   * dynamic overwrite learns its folders from its tasks, so it begins, and fails at its commit if
   * the folders overlap.
   */
  boolean mayBeginDespiteUnfinishable(CommitRequest request, ActiveCommit other)
      throws IOException, InterruptedException {
    return request.kind() == CommitKind.DYNAMIC
        && !isSameToken(request.token(), other)
        && !footprint(other).isWhole();
  }

  /** True when a commit may not be reserved before the other one is finished. */
  boolean mustWaitFor(LedgerIndex index, ActiveCommit other, Head head)
      throws IOException, InterruptedException {
    // Version 1 of a snapshot table has the old files. A job may have begun without a head.
    boolean isFirst = head.readers() == Readers.SNAPSHOT && other.kind() == CommitKind.ADOPT;
    if (isFirst || isSameToken(index.token(), other)) {
      return true;
    }
    // A catalog names one folder for each partition, and each commit writes into its own.
    boolean bothMayAdd =
        !index.kind().replaces() && !other.kind().replaces() && !head.isInCatalog();
    return !bothMayAdd && overlap(index.footprint(), other);
  }

  /** Empty when the commit, which began with {@code base}, may be reserved in the head. */
  public Optional<IOException> reasonToFail(
      LedgerIndex index, VersionedHead base, VersionedHead seen)
      throws IOException, InterruptedException {
    String id = index.id().id();
    // Versions of two tables cannot be compared, and new records would not name the old files.
    if (base.isDropped(seen.head())) {
      return Optional.of(ConflictErrors.droppedBeforeReserve(id, context.paths().root()));
    }
    if (isCancelled(index, base, seen)) {
      return Optional.of(CommitErrors.cancelled(id));
    }
    if (seen.head().isEmpty()) {
      return Optional.empty();
    }
    Head head = seen.head().get();
    if (base.isSetBack(seen.head())) {
      return Optional.of(setBack(index, base, head));
    }
    if (index.kind() == CommitKind.ROLLBACK && index.target() < head.oldestVersion()) {
      return Optional.of(ConflictErrors.targetExpired(index.target(), head.oldestVersion()));
    }
    Optional<IOException> located = notLocated(index, base, head);
    if (located.isPresent()) {
      return located;
    }
    boolean begun = head.version() > 0 || !head.active().isEmpty();
    if (index.kind() == CommitKind.ADOPT && head.readers() == Readers.SNAPSHOT && begun) {
      return Optional.of(ConflictErrors.writtenBeforeAdoption(id));
    }
    if (index.kind() != CommitKind.ADOPT && isWithoutAdoption(head)) {
      return Optional.of(ConflictErrors.notAdopted(id, context.paths().root()));
    }
    // Its token may have been used by a commit whose records vacuum removed.
    Optional<IOException> unknown = new History(context).reasonNotKnown(head, base.version());
    if (unknown.isPresent()) {
      return unknown;
    }
    return changedSinceBase(index, base, seen);
  }

  /** Before the first version of a snapshot table, when no adoption is about to publish it. */
  private static boolean isWithoutAdoption(Head head) {
    return head.readers() == Readers.SNAPSHOT
        && head.version() == 0
        && head.active().stream().noneMatch(it -> it.kind() == CommitKind.ADOPT);
  }

  /**
   * While a catalog follows the table, new files must be in a folder of their commit. An older
   * version may lack files that are in the plain folders since.
   */
  private Optional<IOException> notLocated(LedgerIndex index, VersionedHead base, Head head) {
    long from = head.catalogs().stream().mapToLong(Follower::from).min().orElse(0);
    if (index.kind() == CommitKind.ROLLBACK && index.target() < from) {
      return Optional.of(ConflictErrors.targetBeforeFollowing(index.target(), from));
    }
    boolean plain = base.head().filter(Head::isInCatalog).isEmpty();
    return head.isInCatalog() && plain && index.summary().files() > 0
        ? Optional.of(ConflictErrors.followedSinceBase(index.id().id(), context.paths().root()))
        : Optional.empty();
  }

  /** Present when a commit published after the base changed what this one replaces. */
  private Optional<IOException> changedSinceBase(
      LedgerIndex index, VersionedHead base, VersionedHead seen)
      throws IOException, InterruptedException {
    Head head = seen.head().orElseThrow();
    if (isLastWriter() || !index.kind().replaces() || head.version() == base.version()) {
      return Optional.empty();
    }
    for (LoggedCommit other : published.unexamined(base, head)) {
      if (other.version() <= base.version()) {
        if (base.newest().filter(it -> !it.id().equals(other.id())).isPresent()) {
          return Optional.of(setBack(index, base, head));
        }
      } else if (other.kind() != CommitKind.ADOPT && footprints.overlap(index.footprint(), other)) {
        return Optional.of(
            ConflictErrors.changedSinceBase(index.id().id(), other.id().id(), other.version()));
      }
    }
    published.examined(seen);
    return Optional.empty();
  }

  /**
   * Vacuum and revert write a commit's cancellation mark before they swap the head and its fence.
   * So an unchanged fence means that there is no mark, and a mark written from now on makes this
   * commit's swap fail.
   */
  private boolean isCancelled(LedgerIndex index, VersionedHead base, VersionedHead seen)
      throws IOException, InterruptedException {
    if (seen.etag().equals(base.etag()) || seen.hasFenceOf(base)) {
      return false;
    }
    return new CancelledCommits(context).contains(index.id().id());
  }

  private boolean isLastWriter() {
    return context.settings().conflicts() == ConflictPolicy.LAST_WRITER;
  }

  private static boolean isSameToken(String token, ActiveCommit other) {
    return !token.isEmpty() && token.equals(other.token());
  }

  private boolean overlap(Footprint own, ActiveCommit other)
      throws IOException, InterruptedException {
    try {
      return footprints.overlap(own, other);
    } catch (InvalidRecordException e) {
      throw ConcurrentCommits.notFinished(context, other.id(), e);
    }
  }

  private Footprint footprint(ActiveCommit other) throws IOException, InterruptedException {
    try {
      return footprints.of(other);
    } catch (InvalidRecordException e) {
      throw ConcurrentCommits.notFinished(context, other.id(), e);
    }
  }

  private CommitConflictException setBack(LedgerIndex index, VersionedHead base, Head head) {
    return ConflictErrors.setBack(
        index.id().id(), context.paths().head(), base.version(), head.version());
  }
}
