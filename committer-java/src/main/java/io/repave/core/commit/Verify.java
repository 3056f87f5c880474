package io.repave.core.commit;

import io.repave.core.engine.Retry;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.listing.OpenUploads;
import io.repave.core.record.LedgerIndex;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Step 5: proves that every file is there. A Complete that was answered proves its file, since
 * nobody else can touch the key; every other one is looked up, and completed again if it is absent.
 *
 * <p>Requests: none when every Complete was answered; 1 HEAD for each that was not, more while it
 * stays absent. Readers see: old and new rows. If we die here: recovery looks again.
 */
public final class Verify {
  private final TableContext context;

  public Verify(TableContext context) {
    this.context = context;
  }

  /**
   * Returns when every file is there. {@code doubts} are those of the ledger's files that are not
   * proven yet. When one is lost for good, absent and its upload gone, the commit is reverted and
   * this throws; it throws too while an outcome stays open.
   */
  public void run(LedgerIndex index, Ledger ledger, Ledger doubts, VersionedHead seen)
      throws IOException, InterruptedException {
    Optional<Location> lost = lost(doubts);
    if (lost.isPresent() && new Revert(context).run(index.id(), ledger, seen)) {
      throw Revert.reverted(index.id());
    }
  }

  /**
   * A file that can never be there: it is absent and its upload is gone. Stops at the first one, so
   * that files which a revert will delete do not become visible. Throws while an outcome is open.
   */
  public Optional<Location> lost(Ledger doubts) throws IOException, InterruptedException {
    AtomicReference<Location> lost = new AtomicReference<>();
    try (var span = context.meter().begin(Step.VERIFY, doubts.summary().files())) {
      context.each(
          doubts,
          upload -> {
            if (lost.get() == null && !proven(upload)) {
              lost.set(context.paths().file(upload.partition(), upload.name()));
            }
            span.done(1);
          });
    }
    return Optional.ofNullable(lost.get());
  }

  /** True when the file is there, false when it can never be. */
  private boolean proven(Upload upload) throws IOException, InterruptedException {
    Location at = context.paths().file(upload.partition(), upload.name());
    Retry.Attempts attempts = context.retry().begin();
    while (true) {
      if (there(at, upload)) {
        return true;
      }
      if (upload.direct()) {
        return false;
      }
      Optional<StoreException> failure = complete(upload);
      if (there(at, upload)) {
        // Looked up even after a success: a replayed Complete says 200 for a file deleted since.
        return true;
      }
      if (failure.isEmpty() || failure.get().kind() == Kind.ABSENT) {
        return false;
      }
      if (failure.get().kind() == Kind.DENIED) {
        throw failure.get();
      }
      if (!attempts.pause()) {
        return decided(at, upload, failure.get());
      }
    }
  }

  /** Some stores answer 500 for an upload they do not know: then the listing of uploads tells. */
  private boolean decided(Location at, Upload upload, StoreException failure)
      throws IOException, InterruptedException {
    if (new OpenUploads(context).open(at, upload.uploadId())) {
      throw failure;
    }
    return there(at, upload);
  }

  private boolean there(Location at, Upload upload) throws IOException, InterruptedException {
    Optional<ListedObject> object = context.retry().known(() -> context.store().head(at));
    if (object.isPresent() && object.get().bytes() != upload.bytes()) {
      throw new StoreException(
          Kind.INVALID,
          at
              + " has "
              + object.get().bytes()
              + " bytes where this commit wrote "
              + upload.bytes()
              + ": somebody else wrote to its key");
    }
    return object.isPresent();
  }

  private Optional<StoreException> complete(Upload upload) {
    try {
      context.store().complete(CompleteUploads.pending(context, upload));
      return Optional.empty();
    } catch (StoreException e) {
      return Optional.of(e);
    }
  }
}
