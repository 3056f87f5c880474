package io.repave.core.commit;

import io.repave.core.engine.AllowedFolders;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.error.UsageErrors;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.listing.OpenUploads;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.RecordNames;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Reverts a decided commit that cannot be finished, at an operator's request: its ledger or its
 * manifest is lost, or the store or the records prevent its plan step. Such a commit has deleted no
 * old file, because it is not published, and the swap that begins the revert keeps it unpublished.
 * A planned commit with all its records, or a published one, is not cancelled; recovery finishes
 * it.
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
      throw UsageErrors.cancelOfPublished(commit, context.paths().root());
    }
    if (active.state() == CommitState.PENDING && isPlanned(active)) {
      throw UsageErrors.cancelOfPlanned(commit, context.paths().root());
    }
    boolean reverted = new Revert(context).run(active.id(), files(active), seen);
    return reverted ? RecoveredCommit.reverted(active) : RecoveredCommit.finishedElsewhere(active);
  }

  private ActiveCommit find(Optional<Head> head, String commit) throws InvalidConfigException {
    return head.map(Head::active).orElse(List.of()).stream()
        .filter(it -> it.id().folder().equals(commit) || it.id().id().equals(commit))
        .findFirst()
        .orElseThrow(() -> UsageErrors.noUnfinishedCommit(commit, context.paths().root()));
  }

  /** True if recovery has the records that it needs: a manifest and the ledger. */
  private boolean isPlanned(ActiveCommit active) throws IOException, InterruptedException {
    try {
      if (CommitManifest.read(context, active.id()).isEmpty()) {
        return false;
      }
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
      List<String> folders = searched(active);
      return () -> named(active.id(), folders);
    }
  }

  /** The table, and the folders outside it that the commit may have files in. */
  private List<String> searched(ActiveCommit active) throws IOException, InterruptedException {
    List<String> folders = new ArrayList<>(List.of(""));
    AllowedFolders allowed = new AllowedFolders(context);
    for (String folder : outside(active)) {
      allowed.require(active.id(), folder);
      folders.add(folder);
    }
    return folders;
  }

  /**
   * The folders outside the table in which the commit may have files: as the head or the manifest
   * names them, otherwise all that the operator allows. A folder that is not searched would keep
   * the rows of a commit that is then run again.
   */
  private List<String> outside(ActiveCommit active) throws IOException, InterruptedException {
    boolean writes = active.kind() != CommitKind.ADOPT && active.kind() != CommitKind.ROLLBACK;
    Collection<String> named = active.touched().isEmpty() ? planned(active) : active.touched();
    if (!writes || !named.isEmpty()) {
      return named.stream().filter(RecordNames::isOutside).toList();
    }
    if (context.settings().allowed().isEmpty()) {
      throw UsageErrors.foldersNotKnown(active.id().id(), context.paths().root());
    }
    return context.settings().allowed().stream()
        .filter(folder -> !context.paths().root().equals(folder))
        .filter(folder -> !context.paths().root().holds(folder))
        .map(Location::toString)
        .toList();
  }

  /** The folders that the manifest names; empty when there is none that can be read. */
  private Collection<String> planned(ActiveCommit active) throws IOException, InterruptedException {
    try {
      return CommitManifest.read(context, active.id())
          .map(manifest -> manifest.index().touched())
          .orElse(Collections.emptySortedSet());
    } catch (InvalidRecordException lost) {
      return List.of();
    }
  }

  /**
   * Uploads that are open would not be found by name: each is aborted before the files are listed.
   */
  private Ledger named(CommitId id, List<String> folders) throws IOException, InterruptedException {
    for (String folder : folders) {
      new OpenUploads(context).abortEvery(id, context.paths().folder(folder));
    }
    TaskLedger found = new TaskLedger();
    TouchedListing.of(context, id)
        .run(
            folders,
            (partition, file) -> {
              synchronized (found) {
                found.add(
                    new Upload(partition, file.name(), "", file.bytes(), file.bytes(), List.of()));
              }
            });
    return new TaskLedgers(List.of(found.encode()));
  }
}
