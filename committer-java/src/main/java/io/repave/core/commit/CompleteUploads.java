package io.repave.core.commit;

import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.util.Optional;

/**
 * Step 4: completes the uploads, each with one request, many in parallel.
 *
 * <p>Requests: 1 Complete per file (none for files that were put directly). Readers see: the old
 * rows and more and more of the new ones; no row is missing. If the process dies here: recovery
 * completes the rest.
 *
 * <p>An answer other than success is not a failure: the file is in doubt, and {@link Verify} finds
 * out.
 */
public final class CompleteUploads {
  private final TableContext context;

  public CompleteUploads(TableContext context) {
    this.context = context;
  }

  /** Completes uploads that no process has tried to complete. Returns those in doubt. */
  public Ledger run(Ledger ledger) throws IOException, InterruptedException {
    TaskLedger doubts = new TaskLedger();
    try (var span = context.meter().begin(Step.COMPLETE_UPLOADS, ledger.summary().files())) {
      context.each(
          ledger,
          upload -> {
            if (!upload.direct() && failure(context, upload).isPresent()) {
              add(doubts, upload);
            }
            span.done(1);
          });
    }
    return TaskLedgers.of(doubts);
  }

  /** Sends one Complete; empty when it succeeded. A failure leaves the file in doubt. */
  static Optional<StoreException> failure(TableContext context, Upload upload) {
    try {
      context.store().complete(pending(context, upload));
      return Optional.empty();
    } catch (StoreException e) {
      return Optional.of(e);
    }
  }

  private static void add(TaskLedger doubts, Upload upload) {
    synchronized (doubts) {
      doubts.add(upload);
    }
  }

  static PendingUpload pending(TableContext context, Upload upload) {
    return new PendingUpload(
        context.paths().file(upload.partition(), upload.name()),
        upload.uploadId(),
        upload.bytes(),
        upload.etags());
  }
}
