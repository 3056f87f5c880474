package io.repave.core;

import io.repave.core.error.InvalidConfig;
import io.repave.core.error.RecordRefused;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.step.HeadStore;
import io.repave.core.step.OpenUploads;
import io.repave.core.step.Planned;
import io.repave.core.step.RecordedLedger;
import io.repave.core.step.Revert;
import io.repave.core.step.StepContext;
import io.repave.core.step.TouchedListing;
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
final class CancelCommit {
  private final StepContext context;

  CancelCommit(StepContext context) {
    this.context = context;
  }

  /** {@code commit}: the name of its folder, or its id. */
  Recovered run(String commit) throws IOException, InterruptedException {
    HeadStore.Seen seen = context.heads().read();
    ActiveCommit active = find(seen.head(), commit);
    if (active.state() == CommitState.CLEANING) {
      throw refused(commit, "it is published");
    }
    if (active.state() == CommitState.PENDING && hasPlan(active)) {
      throw refused(commit, "it is planned");
    }
    boolean reverted = new Revert(context).run(active.id(), ledger(active), seen);
    return reverted ? Recovered.reverted(active) : Recovered.ofOthers(active);
  }

  private ActiveCommit find(Optional<Head> head, String commit) throws InvalidConfig {
    return head.map(Head::active).orElse(List.of()).stream()
        .filter(it -> it.id().folder().equals(commit) || it.id().id().equals(commit))
        .findFirst()
        .orElseThrow(() -> unknown(commit));
  }

  private boolean hasPlan(ActiveCommit active) throws IOException, InterruptedException {
    try {
      return Planned.read(context, active.id()).isPresent();
    } catch (RecordRefused damaged) {
      return true;
    }
  }

  /** What it uploaded: as its ledger says, or, when that is gone, as its files' names say. */
  private Ledger ledger(ActiveCommit active) throws IOException, InterruptedException {
    try {
      RecordedLedger ledger = RecordedLedger.open(context, active.id(), active.kind());
      ledger.requireAllowed();
      return ledger;
    } catch (RecordRefused gone) {
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

  private InvalidConfig refused(String commit, String why) {
    return new InvalidConfig(
        "Commit "
            + commit
            + " of "
            + context.paths().root()
            + " cannot be cancelled: "
            + why
            + ", so old files may be gone already. Nothing was changed. Finish it with: "
            + context.recoverCommand());
  }

  private InvalidConfig unknown(String commit) {
    return new InvalidConfig(
        "The table "
            + context.paths().root()
            + " has no unfinished commit '"
            + commit
            + "'. Nothing was changed; `repave status` lists the unfinished ones.");
  }
}
