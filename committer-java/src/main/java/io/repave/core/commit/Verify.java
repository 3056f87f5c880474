package io.repave.core.commit;

import io.repave.core.engine.Retry;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitErrors;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.listing.OpenUploads;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.RecordNames;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.StoreErrors;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/**
 * Step 5: proves that every file exists. A successful Complete proves its file, because no other
 * process writes to the key. Every other file is looked up, and completed again if it is absent.
 *
 * <p>Requests: none when every Complete succeeded; otherwise 1 HEAD per file in doubt, more while
 * it stays absent, and 1 listing of uploads before a file outside the table is called lost. After a
 * crash: 1 Complete per upload that is still open, 1 HEAD per other file. Readers see: old and new
 * rows. If the process dies here: recovery verifies again.
 */
public final class Verify {
  private final TableContext context;

  public Verify(TableContext context) {
    this.context = context;
  }

  /**
   * Returns when every file exists. {@code doubts} are the files of the ledger that are not proven
   * yet. When a file is lost, which means absent with its upload gone, the commit is reverted and
   * this throws. It also throws while an outcome stays open.
   */
  public void run(LedgerIndex index, Ledger ledger, Ledger doubts, VersionedHead seen)
      throws IOException, InterruptedException {
    Optional<Location> lost = findLost(doubts, upload -> false);
    if (lost.isPresent() && new Revert(context).run(index.id(), ledger, seen)) {
      throw CommitErrors.reverted(index.id().id());
    }
  }

  /**
   * The same for all files of a commit whose process is gone; returns a file that is lost instead
   * of reverting. {@code open} are uploads that were open a moment ago: they had not been
   * completed, so a success of Complete proves the file without a look-up.
   */
  Optional<Location> findLost(Ledger ledger, Set<String> open)
      throws IOException, InterruptedException {
    return findLost(
        ledger,
        upload ->
            open.contains(upload.uploadId()) && CompleteUploads.failure(context, upload).isEmpty());
  }

  /**
   * Returns a file that is lost: it is absent and its upload is gone. Stops at the first one, so
   * that files which a revert will delete do not become visible. Throws while an outcome is open.
   */
  private Optional<Location> findLost(Ledger doubts, Predicate<Upload> isProven)
      throws IOException, InterruptedException {
    AtomicReference<Location> lost = new AtomicReference<>();
    try (var span = context.meter().begin(Step.VERIFY, doubts.summary().files())) {
      context.each(
          doubts,
          upload -> {
            if (lost.get() == null && !isProven.test(upload) && !proven(upload)) {
              lost.set(context.paths().file(upload.partition(), upload.name()));
            }
            span.done(1);
          });
    }
    return Optional.ofNullable(lost.get());
  }

  /** True when the file exists, false when it is lost. */
  private boolean proven(Upload upload) throws IOException, InterruptedException {
    Location at = context.paths().file(upload.partition(), upload.name());
    Retry.Attempts attempts = context.retry().begin();
    while (true) {
      if (exists(at, upload)) {
        return true;
      }
      if (upload.direct()) {
        return false;
      }
      Optional<StoreException> failure = CompleteUploads.failure(context, upload);
      if (exists(at, upload)) {
        // A success is looked up too: a repeated Complete answers 200 even if the file was deleted.
        return true;
      }
      boolean isAbsent = failure.isPresent() && failure.get().kind() == Kind.ABSENT;
      if (isAbsent && RecordNames.isOutside(upload.partition())) {
        // A bucket that this process does not find gives the same answer.
        return existsUnlessOpen(at, upload, failure.get());
      }
      if (failure.isEmpty() || isAbsent) {
        return false;
      }
      if (failure.get().kind() == Kind.DENIED) {
        throw failure.get();
      }
      if (!attempts.pause()) {
        return existsUnlessOpen(at, upload, failure.get());
      }
    }
  }

  /**
   * The listing of uploads decides: some stores answer 500 for an unknown upload. It fails where
   * the bucket is not found, and without a permission of its own.
   */
  private boolean existsUnlessOpen(Location at, Upload upload, StoreException failure)
      throws IOException, InterruptedException {
    boolean isOpen;
    try {
      isOpen = new OpenUploads(context).isOpen(at, upload.uploadId());
    } catch (StoreException unlisted) {
      if (failure.kind() == Kind.ABSENT) {
        throw unlisted;
      }
      // The first cause is the refusal of Complete. Without it, nobody would have asked.
      failure.addSuppressed(unlisted);
      throw failure;
    }
    if (isOpen) {
      throw failure;
    }
    return exists(at, upload);
  }

  private boolean exists(Location at, Upload upload) throws IOException, InterruptedException {
    Optional<ListedObject> object = context.retry().known(() -> context.store().head(at));
    if (object.isPresent() && object.get().bytes() != upload.bytes()) {
      throw StoreErrors.otherSize(at, object.get().bytes(), upload.bytes());
    }
    return object.isPresent();
  }
}
