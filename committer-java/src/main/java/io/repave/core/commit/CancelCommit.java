package io.repave.core.commit;

import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.error.UsageErrors;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Reverts a decided commit that cannot be finished, when an operator asks for it. Such a commit
 * lacks its ledger or its manifest, or the store or the records prevent its plan step. It has
 * deleted no old file, because it is not published, and the swap that begins the revert keeps it
 * unpublished. A planned commit with all its records, or a published one, is not cancelled;
 * recovery finishes it. Only a published commit of a listing table that no record describes any
 * more is ended as it is.
 *
 * <p>Requests: those of {@link Revert}; without a ledger also LISTs of the whole table and of its
 * open uploads. Readers see: the old rows, and until it is done some new rows. If the process dies
 * here: the commit is marked as reverting; {@code repave recover}, or this again, continues.
 */
public final class CancelCommit {
  private final TableContext context;

  public CancelCommit(TableContext context) {
    this.context = context;
  }

  /** {@code commit} is the commit's id or the name of its folder. */
  public RecoveredCommit run(String commit) throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    ActiveCommit active = find(seen.head(), commit);
    if (active.state() == CommitState.CLEANING) {
      requireBeyondRepair(active, seen.head().orElseThrow());
      return end(active, seen);
    }
    if (active.state() == CommitState.PENDING && isPlanned(active)) {
      throw UsageErrors.cancelOfPlanned(commit, context.paths().root());
    }
    boolean reverted = new Revert(context).run(active.id(), files(active), seen);
    return reverted
        ? RecoveredCommit.reverted(active)
        : RecoveredCommit.finishedByAnotherProcess(active);
  }

  /** Recovery finishes a published commit as long as a record says what it replaces. */
  private void requireBeyondRepair(ActiveCommit active, Head head)
      throws IOException, InterruptedException {
    boolean lost = LostLedger.isBeyondRepair(context, active, head);
    if (!lost || head.readers() == Readers.SNAPSHOT) {
      throw UsageErrors.cancelOfPublished(active.id().id(), context.paths().root());
    }
  }

  /**
   * Ends a published commit and leaves the old files, because no record names them. Its token is
   * free again: the job has to run again, and to replace the old files then.
   */
  private RecoveredCommit end(ActiveCommit active, VersionedHead seen)
      throws IOException, InterruptedException {
    CommitId id = active.id();
    context
        .heads()
        .update(
            seen,
            id,
            now ->
                now.filter(head -> head.active(id).isPresent())
                    .map(head -> head.without(id).withoutToken(id)));
    return RecoveredCommit.ended(active);
  }

  private ActiveCommit find(Optional<Head> head, String commit) throws InvalidConfigException {
    return head.map(Head::active).orElse(List.of()).stream()
        .filter(it -> it.id().folder().equals(commit) || it.id().id().equals(commit))
        .findFirst()
        .orElseThrow(() -> UsageErrors.noUnfinishedCommit(commit, context.paths().root()));
  }

  /** True if recovery has the records that it needs: the manifest and the ledger, as a whole. */
  private boolean isPlanned(ActiveCommit active) throws IOException, InterruptedException {
    try {
      Optional<CommitManifest> manifest = CommitManifest.read(context, active.id());
      if (manifest.isEmpty()) {
        return false;
      }
      manifest.get().each(context, entries -> {});
      requireReadable(StoredLedger.open(context, active.id(), active.kind()));
      return true;
    } catch (InvalidRecordException lost) {
      return false;
    }
  }

  /** The index alone does not show that all shards are there. */
  private static void requireReadable(Ledger ledger) throws IOException, InterruptedException {
    ledger.each(batch -> {});
  }

  /** The recorded ledger; when it is lost, the files whose names contain the commit id. */
  private Revert.OwnFiles files(ActiveCommit active) throws IOException, InterruptedException {
    try {
      StoredLedger ledger = StoredLedger.open(context, active.id(), active.kind());
      ledger.requireAllowed();
      requireReadable(ledger);
      return () -> ledger;
    } catch (InvalidRecordException lost) {
      return FilesByName.of(context, active)::findAfterAborts;
    }
  }
}
