package io.repave.core.commit;

import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.listing.OpenUploads;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Takes back a decided commit that cannot be planned, because an operator says so: its ledger is
 * gone, or the store or the records keep it from being planned. Without a plan no old file was
 * touched. With a plan, or once it is published, recovery finishes it.
 *
 * <p>Requests: those of {@link Revert}; without a ledger, LISTs of the whole table and of its open
 * uploads. If we die here: the commit is marked as reverting; recover, or this again, goes on.
 */
public final class CancelCommit {
  private final TableContext context;

  public CancelCommit(TableContext context) {
    this.context = context;
  }

  /** {@code commit}: the name of its folder, or its id. */
  public RecoveredCommit run(String commit) throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    ActiveCommit active = find(seen.head(), commit);
    if (active.state() == CommitState.CLEANING) {
      throw refused(commit, "it is published");
    }
    if (active.state() == CommitState.PENDING && hasPlan(active)) {
      throw refused(commit, "it is planned");
    }
    boolean reverted = new Revert(context).run(active.id(), ledger(active), seen);
    return reverted ? RecoveredCommit.reverted(active) : RecoveredCommit.ofOthers(active);
  }

  private ActiveCommit find(Optional<Head> head, String commit) throws InvalidConfigException {
    return head.map(Head::active).orElse(List.of()).stream()
        .filter(it -> it.id().folder().equals(commit) || it.id().id().equals(commit))
        .findFirst()
        .orElseThrow(() -> unknown(commit));
  }

  private boolean hasPlan(ActiveCommit active) throws IOException, InterruptedException {
    try {
      return CommitManifest.read(context, active.id()).isPresent();
    } catch (InvalidRecordException damaged) {
      return true;
    }
  }

  /** What it uploaded: as its ledger says, or, when that is gone, as its files' names say. */
  private Ledger ledger(ActiveCommit active) throws IOException, InterruptedException {
    try {
      StoredLedger ledger = StoredLedger.open(context, active.id(), active.kind());
      ledger.requireAllowed();
      return ledger;
    } catch (InvalidRecordException gone) {
      new OpenUploads(context).giveUp(active.id(), List.of());
      TaskLedger found = new TaskLedger();
      TouchedListing.of(context, active.id())
          .run(
              List.of(""),
              (partition, file) -> {
                synchronized (found) {
                  found.add(
                      new Upload(
                          partition, file.name(), "", file.bytes(), file.bytes(), List.of()));
                }
              });
      return new TaskLedgers(List.of(found.encode()));
    }
  }

  private InvalidConfigException refused(String commit, String why) {
    return new InvalidConfigException(
        "Commit "
            + commit
            + " of "
            + context.paths().root()
            + " cannot be cancelled: "
            + why
            + ", so old files may be gone already. Nothing was changed. Finish it with: "
            + context.recoverCommand());
  }

  private InvalidConfigException unknown(String commit) {
    return new InvalidConfigException(
        "The table "
            + context.paths().root()
            + " has no unfinished commit '"
            + commit
            + "'. Nothing was changed; `repave status` lists the unfinished ones.");
  }
}
