package io.repave.core.commit;

import io.repave.core.conflict.Fence;
import io.repave.core.engine.FileDeletion;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.listing.OpenUploads;
import io.repave.core.listing.OrderedListing;
import io.repave.core.record.CommitId;
import io.repave.core.record.LedgerJson;
import io.repave.core.store.Location;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

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
    Set<String> partitions = new TreeSet<>(Utf8Order.KEYS);
    known.each(
        batch -> {
          List<Upload> own = batch.stream().filter(upload -> isOwn(upload, id)).toList();
          for (Upload upload : own) {
            partitions.add(upload.partition());
            if (upload.direct()) {
              direct.add(at(upload));
            }
          }
          Stream<Upload> open = own.stream().filter(upload -> !upload.direct());
          context.runner().each(open.iterator(), it -> uploads.abort(at(it), it.uploadId()));
        });
    FileDeletion.deleteAll(context, direct, count -> {});
    uploads.abortAll(id, partitions);
    return true;
  }

  /**
   * Somebody may have replaced the stored message of a task. The commit refuses such a file, and
   * then the abort meets it too. It goes on with the others.
   */
  private static boolean isOwn(Upload upload, CommitId id) {
    try {
      LedgerJson.check(upload, id, "of a task's files");
      return true;
    } catch (InvalidRecordException notOfThisCommit) {
      return false;
    }
  }

  private Location at(Upload upload) {
    return context.paths().file(upload.partition(), upload.name());
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
}
