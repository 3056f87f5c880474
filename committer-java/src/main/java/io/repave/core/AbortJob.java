package io.repave.core;

import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.step.Fence;
import io.repave.core.step.HeadStore;
import io.repave.core.step.OpenUploads;
import io.repave.core.step.Reserve;
import io.repave.core.step.Retirement;
import io.repave.core.step.StepContext;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Gives up a job that was not decided. Engines call this after a commit that threw, even after one
 * that succeeded: a decided commit is left exactly as it is.
 *
 * <p>Requests: none about the head when no reservation was ever sent; otherwise 1 GET and, if it is
 * not decided, 1 PUT that fences it. Then 1 Abort an upload. Readers see: the old rows. If we die
 * here: uploads stay open, which vacuum finds.
 */
final class AbortJob {
  private final StepContext context;
  private final Reserve reserve;

  AbortJob(StepContext context, Reserve reserve) {
    this.context = context;
    this.reserve = reserve;
  }

  /** Returns false when the commit is decided, and nothing was touched. */
  boolean run(CommitId id, Ledger seen) throws IOException, InterruptedException {
    if (reserve.sent() && decided(id)) {
      return false;
    }
    List<Location> direct = new ArrayList<>();
    Ledger.Batches batches = seen.batches();
    for (Optional<List<Upload>> batch = batches.next(); batch.isPresent(); batch = batches.next()) {
      context.fan().each(batch.get().iterator(), upload -> abort(upload, direct));
    }
    Retirement.deleteAll(context, direct, count -> {});
    new OpenUploads(context).giveUp(id);
    return true;
  }

  private boolean decided(CommitId id) throws IOException, InterruptedException {
    HeadStore.Seen seen = context.heads().read();
    Head empty = Head.first(context.ports().nonces().get(), context.settings().readers());
    return reserve.fence().run(id, seen, empty) == Fence.Finding.DECIDED;
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
    context
        .retry()
        .known(
            () -> {
              context.store().abort(at, upload.uploadId());
              return true;
            });
  }
}
