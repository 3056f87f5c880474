package io.repave.core.commit;

import io.repave.core.conflict.CancelledCommits;
import io.repave.core.engine.FileDeletion;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Retry;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitFailedException;
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
 * The one way back: an upload of a decided commit is gone and its file absent, so the commit can
 * never be whole. Nothing old was touched yet, so taking the new files back loses nothing.
 *
 * <p>The decision to go back is durable first, or somebody else would publish meanwhile. Each open
 * upload is completed and its file deleted: using its id up stops every late Complete, which an
 * abort does not. Then all requests that may still be under way get the time to end, and the keys
 * are looked at once more. Requests: 3 a file, 2 PUT If-Match. Readers see: some new rows beside
 * the old, until it is done. If we die here: recovery goes on with it.
 */
public final class Revert {
  private final TableContext context;

  public Revert(TableContext context) {
    this.context = context;
  }

  /** How a job learns that its commit was taken back. */
  public static CommitFailedException reverted(CommitId id) {
    return new CommitFailedException(
        "Commit "
            + id.id()
            + " was taken back: an upload of it was removed before it could be completed (a"
            + " lifecycle rule for incomplete uploads, or an admin). The old data is untouched;"
            + " lengthen the rule and run the job again.");
  }

  /** A commit whose files are gone, while requests for them may still be under way. */
  public record Started(
      CommitId id, Ledger ledger, VersionedHead from, VersionedHead seen, long sinceMillis) {}

  /** Returns true when the commit is reverted, false when another process published it first. */
  public boolean run(CommitId id, Ledger ledger, VersionedHead from)
      throws IOException, InterruptedException {
    return end(start(id, ledger, from));
  }

  /** Makes the decision durable and takes the files back. Several commits can drain together. */
  public Started start(CommitId id, Ledger ledger, VersionedHead from)
      throws IOException, InterruptedException {
    try (var span = context.meter().begin(Step.REVERT, ledger.summary().files())) {
      VersionedHead seen =
          context.heads().update(from, id, now -> now.flatMap(head -> reverting(head, id)));
      Started started = new Started(id, ledger, from, seen, 0);
      return isReverting(seen, id) ? takenBack(started, seen, span) : started;
    }
  }

  /** Waits until no request can be under way any more, looks again, and says so in the head. */
  public boolean end(Started started) throws IOException, InterruptedException {
    CommitId id = started.id();
    Ledger ledger = started.ledger();
    try (var span = context.meter().begin(Step.REVERT, ledger.summary().files())) {
      Started now = started;
      VersionedHead seen = now.seen();
      while (isReverting(seen, id)) {
        drain(now);
        if (absent(ledger)) {
          refuse(id);
          seen = context.heads().update(seen, id, head -> head.flatMap(it -> reverted(it, id)));
        } else {
          seen = context.heads().read();
          if (isReverting(seen, id)) {
            now = takenBack(now, seen, span);
          }
        }
      }
      return !new History(context).published(seen, id, started.from());
    }
  }

  private Started takenBack(Started started, VersionedHead seen, Meter.Span span)
      throws IOException, InterruptedException {
    takeBack(started.ledger(), span);
    return new Started(
        started.id(), started.ledger(), started.from(), seen, context.clock().tickMillis());
  }

  private void drain(Started started) throws InterruptedException {
    long passed = context.clock().tickMillis() - started.sinceMillis();
    context.clock().sleep(Math.max(0, context.settings().drainMillis() - passed));
  }

  /**
   * The log forgets a commit that was taken back. A driver that slept since its reservation got no
   * answer would find no trace of it and reserve it again, and then publish files that are gone:
   * direct ones, and on AWS those whose repeated Complete says 200.
   */
  private void refuse(CommitId id) throws IOException, InterruptedException {
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
                    .change()
                    .fence(context.ports().nonces().get())
                    .done());
  }

  private void takeBack(Ledger ledger, Meter.Span span) throws IOException, InterruptedException {
    ledger.each(
        batch -> {
          context.runner().each(batch.iterator(), this::useUp);
          List<Location> keys = batch.stream().map(this::at).toList();
          FileDeletion.deleteAll(context, keys, span::done);
        });
  }

  /** Completes an upload so that its id is spent; one that is gone already is as good. */
  private void useUp(Upload upload) throws IOException, InterruptedException {
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
          giveUpUnlessGone(upload, e);
          return;
        }
      }
    }
  }

  private void giveUpUnlessGone(Upload upload, StoreException failure)
      throws IOException, InterruptedException {
    OpenUploads uploads = new OpenUploads(context);
    // No fence against what is under way, which the drain is; but who comes later finds it gone,
    // also where a store does not list what is open.
    uploads.abort(at(upload), upload.uploadId());
    if (uploads.open(at(upload), upload.uploadId())) {
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
