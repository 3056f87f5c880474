package io.repave.core.commit;

import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitErrors;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.History;
import java.io.IOException;
import java.util.Optional;

/**
 * Step 6: gives the commit its version. From now on, snapshot readers see the new files.
 *
 * <p>Publish comes before retire: a reader may see both old and new rows, never neither. Requests:
 * 1 PUT If-Match. Readers see: snapshot readers the new rows; listing readers old and new rows. If
 * the process dies here: the head says whether the commit is published, and recovery continues.
 */
public final class Publish {
  /** The head in which the commit is published, or already finished, and the commit's version. */
  public record Published(VersionedHead seen, long version) {
    /**
     * Throws when a head of the table that was read later does not have the commit's version,
     * because an older head was put back. The commit must not be finished in it: then no head would
     * name the commit, and its files would be orphans. Requests: none.
     */
    void requireIn(TableContext context, CommitId id, Optional<Head> later)
        throws CommitStateUnknownException {
      boolean unpublished =
          later
              .flatMap(head -> head.active(id))
              .filter(it -> it.state() != CommitState.CLEANING || it.version() != version)
              .isPresent();
      if (unpublished || seen.isSetBack(later) && !seen.isDropped(later)) {
        throw CommitErrors.setBackAfterPublish(
            id.id(), version, context.paths().root(), context.paths().head());
      }
    }
  }

  private final TableContext context;

  public Publish(TableContext context) {
    this.context = context;
  }

  /**
   * Another process may have published the commit already, and even finished it. Throws when the
   * commit was reverted instead, when the table was dropped, and when an older head was put back.
   */
  public Published run(LedgerIndex index, Ledger ledger, VersionedHead from)
      throws IOException, InterruptedException {
    CommitId id = index.id();
    try (var span = context.meter().begin(Step.PUBLISH, 0)) {
      VersionedHead seen =
          context
              .heads()
              .update(
                  from,
                  id,
                  now -> now.flatMap(head -> published(head, id, context.clock().wallMillis())));
      Optional<Long> version = new History(context).published(seen, id, from);
      if (version.isEmpty()) {
        Revert revert = new Revert(context);
        revert.requireRecorded(id, from, seen);
        revert.run(id, ledger, seen);
        throw CommitErrors.reverted(id.id());
      }
      return new Published(seen, version.get());
    }
  }

  private static Optional<Head> published(Head head, CommitId id, long nowMillis) {
    Optional<ActiveCommit> own = head.active(id);
    if (own.isEmpty() || own.get().state() != CommitState.PENDING) {
      return Optional.empty();
    }
    long version = head.version() + 1;
    ActiveCommit commit = own.get();
    // Clocks differ and are set back. Versions are found by time, so their times must increase.
    long millis =
        Math.max(nowMillis, Math.min(head.lastPublishedMillis() + 1, FileFacts.NUMBER_MAX));
    LoggedCommit logged =
        new LoggedCommit(id, commit.kind(), version, commit.token(), commit.touched(), millis);
    return Optional.of(
        head.replacing(commit.published(version)).logging(logged).change().version(version).done());
  }
}
