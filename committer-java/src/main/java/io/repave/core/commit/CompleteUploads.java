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
import java.util.List;

/**
 * Step 4: makes the uploads objects, each with one request, many at a time.
 *
 * <p>Requests: 1 Complete a file (none for files that were put directly). Readers see: the old rows
 * and more and more of the new, never a hole. If we die here: recovery completes what is left.
 *
 * <p>An answer that is not a plain success is no failure; the file is doubtful, and {@link Verify}
 * finds out.
 */
public final class CompleteUploads {
  private final TableContext context;

  public CompleteUploads(TableContext context) {
    this.context = context;
  }

  /** Completes uploads that nobody has tried to complete. Returns the doubtful ones. */
  public Ledger run(Ledger ledger) throws IOException, InterruptedException {
    TaskLedger doubts = new TaskLedger();
    try (var span = context.meter().begin(Step.COMPLETE_UPLOADS, ledger.summary().files())) {
      context.each(
          ledger,
          upload -> {
            if (!upload.direct() && !completed(upload)) {
              add(doubts, upload);
            }
            span.done(1);
          });
    }
    return new TaskLedgers(List.of(doubts.encode()));
  }

  private boolean completed(Upload upload) {
    try {
      context.store().complete(pending(context, upload));
      return true;
    } catch (StoreException e) {
      return false;
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
        upload.partBytes(),
        upload.etags());
  }
}
