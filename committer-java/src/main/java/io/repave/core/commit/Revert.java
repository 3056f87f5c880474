package io.repave.core.commit;

import io.repave.core.conflict.CancelledCommits;
import io.repave.core.engine.FileDeletion;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Retry;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitErrors;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.listing.OpenUploads;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.History;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Reverts a decided commit whose upload is gone and whose file is absent, so that it can never be
 * complete. No old file was deleted yet, so deleting the new files loses nothing.
 *
 * <p>The head records the revert first; otherwise another process could publish the commit. Then
 * each open upload is completed and its file deleted. After that, a late Complete cannot create the
 * file again; an abort would not stop a Complete that is in flight. Then the revert waits until no
 * request can be in flight any more, and looks up the keys again.
 *
 * <p>Requests: 3 per file, 2 PUT If-Match. Readers see: some new rows in addition to the old ones,
 * until it is done. If the process dies here: recovery continues the revert.
 */
public final class Revert {
  private final TableContext context;

  public Revert(TableContext context) {
    this.context = context;
  }

  /** Finds what the commit uploaded. It is asked again after every wait for late requests. */
  @FunctionalInterface
  public interface OwnFiles {
    Ledger find() throws IOException, InterruptedException;
  }

  /** A revert whose files are deleted, while requests for them may still be in flight. */
  public record Started(
      CommitId id,
      OwnFiles files,
      long count,
      VersionedHead from,
      VersionedHead seen,
      long sinceMillis) {}

  /**
   * Returns true when the commit is reverted, false when another process published it first. Throws
   * when the outcome is unknown.
   */
  public boolean run(CommitId id, Ledger ledger, VersionedHead from)
      throws IOException, InterruptedException {
    return end(start(id, ledger, from));
  }

  /** The same for a commit whose ledger is lost. */
  public boolean run(CommitId id, OwnFiles files, VersionedHead from)
      throws IOException, InterruptedException {
    return end(start(id, files, 0, from));
  }

  /** Records the revert and deletes the files. Several reverts can wait together afterwards. */
  public Started start(CommitId id, Ledger ledger, VersionedHead from)
      throws IOException, InterruptedException {
    return start(id, () -> ledger, ledger.summary().files(), from);
  }

  private Started start(CommitId id, OwnFiles files, long count, VersionedHead from)
      throws IOException, InterruptedException {
    try (var span = context.meter().begin(Step.REVERT, count)) {
      VersionedHead seen =
          context.heads().update(from, id, now -> now.flatMap(head -> reverting(head, id)));
      Started started = new Started(id, files, count, from, seen, 0);
      return isReverting(seen, id) ? deleteFiles(started, seen, span) : started;
    }
  }

  /** Waits until no request can be in flight, looks up the files again, and records the end. */
  public boolean end(Started started) throws IOException, InterruptedException {
    CommitId id = started.id();
    try (var span = context.meter().begin(Step.REVERT, started.count())) {
      Started now = started;
      VersionedHead seen = now.seen();
      while (isReverting(seen, id)) {
        drain(now);
        if (absent(now.files().find())) {
          markCancelled(id);
          seen = context.heads().update(seen, id, head -> head.flatMap(it -> reverted(it, id)));
        } else {
          seen = context.heads().read();
          if (isReverting(seen, id)) {
            now = deleteFiles(now, seen, span);
          }
        }
      }
      if (new History(context).published(seen, id, started.from()).isPresent()) {
        return false;
      }
      requireRecorded(id, started.from(), seen);
      return true;
    }
  }

  /**
   * For a commit that the head does not show as published: throws when its outcome is unknown,
   * because the table was dropped or an older head was put back. A commit that was reverted is in
   * the head, or has a mark from before it left the log. Without both, the head is an older one,
   * and a newer one may name this commit as published. Requests: 1 HEAD if the head does not name
   * the commit.
   */
  void requireRecorded(CommitId id, VersionedHead from, VersionedHead seen)
      throws IOException, InterruptedException {
    if (from.isDropped(seen.head())) {
      throw CommitErrors.droppedBeforePublish(id.id(), context.paths().root());
    }
    Head head = seen.head().orElseThrow();
    boolean named = head.active(id).isPresent() || head.logged(id).isPresent();
    if (!named && !new CancelledCommits(context).contains(id.id())) {
      throw CommitErrors.setBackBeforePublish(
          id.id(), context.paths().root(), context.paths().head());
    }
  }

  private Started deleteFiles(Started started, VersionedHead seen, Meter.Span span)
      throws IOException, InterruptedException {
    deleteFiles(started.files().find(), span);
    return new Started(
        started.id(),
        started.files(),
        started.count(),
        started.from(),
        seen,
        context.clock().tickMillis());
  }

  private void drain(Started started) throws InterruptedException {
    long passed = context.clock().tickMillis() - started.sinceMillis();
    context.clock().sleep(Math.max(0, context.settings().drainMillis() - passed));
  }

  /**
   * The head's log is bounded and may no longer contain a reverted commit. A driver that was paused
   * after a reservation without an answer would then reserve the commit again and publish files
   * that are deleted. The mark prevents this.
   */
  private void markCancelled(CommitId id) throws IOException, InterruptedException {
    new CancelledCommits(context).add(id.id());
  }

  private static boolean isReverting(VersionedHead seen, CommitId id) {
    return seen.head()
        .flatMap(head -> head.active(id))
        .filter(commit -> commit.state() == CommitState.REVERTING)
        .isPresent();
  }

  private static Optional<Head> reverting(Head head, CommitId id) {
    return head.active(id)
        .filter(commit -> commit.state() == CommitState.PENDING)
        .map(commit -> head.replacing(commit.reverting()));
  }

  private Optional<Head> reverted(Head head, CommitId id) {
    return head.active(id)
        .map(
            own ->
                head.without(id)
                    .logging(new LoggedCommit(id, own.kind(), 0, own.token(), List.of()))
                    .withoutOldLog()
                    .change()
                    .fence(context.ports().nonces().get())
                    .done());
  }

  private void deleteFiles(Ledger ledger, Meter.Span span)
      throws IOException, InterruptedException {
    ledger.each(
        batch -> {
          context.runner().each(batch.iterator(), this::spend);
          List<Location> keys = batch.stream().map(this::at).toList();
          FileDeletion.deleteAll(context, keys, span::done);
        });
  }

  /** Completes an upload so that its id cannot be used again; it may be gone already. */
  private void spend(Upload upload) throws IOException, InterruptedException {
    if (upload.direct()) {
      return;
    }
    Retry.Attempts attempts = context.retry().begin();
    while (true) {
      try {
        context.store().complete(CompleteUploads.pending(context, upload));
        return;
      } catch (StoreException e) {
        if (e.kind() == Kind.ABSENT) {
          return;
        }
        if (!attempts.pause()) {
          abortOrThrow(upload, e);
          return;
        }
      }
    }
  }

  private void abortOrThrow(Upload upload, StoreException failure)
      throws IOException, InterruptedException {
    OpenUploads uploads = new OpenUploads(context);
    // The abort does not stop requests in flight; the waiting time does. But a later process finds
    // the upload gone, even if the store does not list open uploads.
    uploads.abort(at(upload), upload.uploadId());
    if (uploads.isOpen(at(upload), upload.uploadId())) {
      throw failure;
    }
  }

  private boolean absent(Ledger ledger) throws IOException, InterruptedException {
    boolean[] found = {false};
    context.each(
        ledger,
        upload -> {
          if (context.retry().known(() -> context.store().head(at(upload))).isPresent()) {
            found[0] = true;
          }
        });
    return !found[0];
  }

  private Location at(Upload upload) {
    return context.paths().file(upload.partition(), upload.name());
  }
}
