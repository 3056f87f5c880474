package io.repave.core.commit;

import io.repave.core.conflict.Fence;
import io.repave.core.engine.FileDeletion;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.listing.OpenUploads;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives up a job that was not decided. Engines call this after a commit that threw, even after one
 * that succeeded: a decided commit is left exactly as it is.
 *
 * <p>Requests: none about the head when no reservation was ever sent; otherwise 1 GET and, if it is
 * not decided, 1 PUT that fences it. Then 1 Abort an upload. Readers see: the old rows. If we die
 * here: uploads stay open, which vacuum finds.
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

  /** Returns false when the commit is decided, or may be, and nothing was touched. */
  boolean run(CommitId id, Ledger seen) throws IOException, InterruptedException {
    if (reserve.sent() && mayBeDecided(id)) {
      return false;
    }
    List<Location> direct = new ArrayList<>();
    context.each(seen, upload -> abort(upload, direct));
    FileDeletion.deleteAll(context, direct, count -> {});
    uploads.giveUp(id, seen.summary().partitions());
    return true;
  }

  private boolean mayBeDecided(CommitId id) throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    Head empty = Head.first(context.ports().nonces().get(), context.settings().readers());
    return reserve.fence().run(id, seen, empty) != Fence.Finding.FENCED;
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
