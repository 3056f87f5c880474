package io.repave.core.commit;

import io.repave.core.conflict.Fence;
import io.repave.core.engine.FileDeletion;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.listing.OpenUploads;
import io.repave.core.listing.OrderedListing;
import io.repave.core.record.CommitId;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Aborts a job whose commit is not decided. Engines also call this after a commit that threw, and
 * even after a commit that succeeded; a decided commit stays as it is.
 *
 * <p>Requests: none for the head when no reservation was sent. Otherwise 1 GET; if the commit is
 * not decided, also 1 PUT that fences it, and 1 HEAD where a head may have been deleted. Then 1
 * Abort per upload, 1 LIST of the commit's records, and 1 bulk delete if there are any. Readers
 * see: the old rows. If the process dies here: vacuum aborts the uploads that are open, and deletes
 * the records.
 */
final class AbortTransaction {
  private final TableContext context;
  private final Reserve reserve;
  private final OpenUploads uploads;

  AbortTransaction(TableContext context, Reserve reserve) {
    this.context = context;
    this.reserve = reserve;
    this.uploads = new OpenUploads(context);
  }

  /** Returns false when the commit is or may be decided; then nothing was changed. */
  boolean run(CommitId id, Ledger known) throws IOException, InterruptedException {
    if (reserve.sent() && mayBeDecided(id)) {
      return false;
    }
    List<Location> direct = new ArrayList<>();
    context.each(known, upload -> abort(upload, direct));
    FileDeletion.deleteAll(context, direct, count -> {});
    uploads.abortAll(id, known.summary().partitions());
    return true;
  }

  /**
   * Deletes the records of a job that was aborted, with the messages that its tasks stored, of
   * which the driver does not know all. Nobody reads them, because no head names the commit. If
   * they stayed, the folder of a new listing table would not be empty. Spark would then refuse to
   * run the job again with mode error, and would skip it silently with mode ignore.
   */
  void deleteRecords(CommitId id) throws IOException, InterruptedException {
    List<Location> records = new OrderedListing(context, context.paths().commit(id)).locations();
    FileDeletion.deleteAll(context, records, count -> {});
  }

  private boolean mayBeDecided(CommitId id) throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    return reserve.fence().run(id, seen, Reserve.first(context)) != Fence.Finding.FENCED;
  }

  private void abort(Upload upload, List<Location> direct)
      throws IOException, InterruptedException {
    Location at = context.paths().file(upload.partition(), upload.name());
    if (upload.direct()) {
      synchronized (direct) {
        direct.add(at);
      }
      return;
    }
    uploads.abort(at, upload.uploadId());
  }
}
