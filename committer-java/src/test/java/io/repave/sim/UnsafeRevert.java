package io.repave.sim;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.store.Location;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Reverts a commit in ways that lose rows, for mutants. */
final class UnsafeRevert {
  private final TableContext context;

  UnsafeRevert(TableContext context) {
    this.context = context;
  }

  /** Acts on one upload and the location of its file. */
  @FunctionalInterface
  private interface Action {
    void run(Upload upload, Location at) throws IOException, InterruptedException;
  }

  private void each(Ledger ledger, Action action) throws IOException, InterruptedException {
    Ledger.Batches batches = ledger.batches();
    for (Optional<List<Upload>> batch = batches.next(); batch.isPresent(); batch = batches.next()) {
      for (Upload upload : batch.get()) {
        action.run(upload, context.paths().file(upload.partition(), upload.name()));
      }
    }
  }

  void abortUploads(Ledger ledger) throws IOException, InterruptedException {
    each(
        ledger,
        (upload, at) -> {
          if (!upload.direct()) {
            context.store().abort(at, upload.uploadId());
          }
        });
  }

  void abortAndDelete(Ledger ledger) throws IOException, InterruptedException {
    abortUploads(ledger);
    each(ledger, (upload, at) -> context.store().delete(List.of(at)));
  }

  void completeAndDelete(Ledger ledger) throws IOException, InterruptedException {
    each(
        ledger,
        (upload, at) -> {
          complete(upload, at);
          context.store().delete(List.of(at));
        });
  }

  private void complete(Upload upload, Location at) {
    try {
      context
          .store()
          .complete(new PendingUpload(at, upload.uploadId(), upload.bytes(), upload.etags()));
    } catch (StoreException gone) {
      // The mutant treats a missing upload as completed.
    }
  }

  /** True when a file and its upload are both gone. */
  boolean lost(Ledger ledger) throws IOException, InterruptedException {
    boolean[] lost = {false};
    each(
        ledger,
        (upload, at) -> {
          if (context.store().head(at).isEmpty()) {
            complete(upload, at);
            lost[0] |= context.store().head(at).isEmpty();
          }
        });
    return lost[0];
  }

  VersionedHead sayReverting(CommitId id, VersionedHead seen)
      throws IOException, InterruptedException {
    return context
        .heads()
        .update(
            seen,
            now ->
                now.flatMap(head -> head.active(id))
                    .filter(commit -> commit.state() == CommitState.PENDING)
                    .map(commit -> now.get().replacing(commit.reverting())));
  }

  /** Removes a commit from the head, as if it had never been reserved. */
  void forget(CommitId id, VersionedHead seen) throws IOException, InterruptedException {
    context.heads().update(seen, now -> now.flatMap(head -> without(head, id)));
  }

  private static Optional<Head> without(Head head, CommitId id) {
    boolean published = head.logged(id).isPresent();
    if (head.active(id).isEmpty() || published) {
      return Optional.empty();
    }
    return Optional.of(head.without(id));
  }
}
