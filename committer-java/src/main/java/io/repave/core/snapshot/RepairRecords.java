package io.repave.core.snapshot;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.ConflictErrors;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.UsageErrors;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import java.io.IOException;
import java.util.List;

/**
 * Rebuilds the records of a listing table from the files in its folders, when records of its
 * history are lost. Readers see the folders, so no row changes; the details of earlier commits are
 * lost.
 *
 * <p>Requests: LISTs of the whole table, those of {@link OutsideFiles}, 1 PUT per 10,000 files, 1
 * PUT If-Match. Readers see: the same rows. If the process dies here: the old records stay in
 * force.
 */
public final class RepairRecords {
  private final TableContext context;

  public RepairRecords(TableContext context) {
    this.context = context;
  }

  public RepairReport run() throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    Head head =
        seen.head().orElseThrow(() -> UsageErrors.noRecordsToRepair(context.paths().root()));
    requirePossible(head);
    OutsideFiles outside = OutsideFiles.of(context, head);
    Counted counted = new Counted();
    // If the history is lost, it begins with the commits in the head's log.
    long from = new CheckpointWriter(context).isReadable(head) ? head.historyFrom() : logged(head);
    String checkpoint = checkpoint(head, outside, counted);
    VersionedHead swapped =
        context
            .heads()
            .update(
                seen,
                now ->
                    now.filter(it -> it.version() == head.version() && it.hasCheckpointOf(head))
                        .filter(it -> it.active().isEmpty())
                        // A commit that was reverted since then had files in the listing.
                        .filter(it -> it.fence().equals(head.fence()))
                        .filter(it -> it.historyFrom() == head.historyFrom())
                        // A follower that was added since has reached this version.
                        .filter(it -> it.followers().equals(head.followers()))
                        .map(it -> it.change().historyFrom(from))
                        .map(it -> it.checkpoint(head.version(), checkpoint).done()));
    boolean named = swapped.head().map(Head::checkpoint).filter(checkpoint::equals).isPresent();
    if (!named) {
      throw ConflictErrors.changedDuringRepair(context.paths().root());
    }
    long kept = new History(context).known(swapped.head().orElseThrow()).size();
    return new RepairReport(
        head.version(), counted.files, counted.bytes, head.version() - kept, outside.searched());
  }

  private static long logged(Head head) {
    return head.publishedSince(0).stream()
        .mapToLong(LoggedCommit::version)
        .min()
        .orElse(head.version() + 1);
  }

  /** The number and size of the files in the table. */
  private static final class Counted {
    private long files;
    private long bytes;

    synchronized void add(FileEntry file) {
      files++;
      bytes += file.bytes();
    }
  }

  private String checkpoint(Head head, OutsideFiles outside, Counted counted)
      throws IOException, InterruptedException {
    try (FileSorter listed = new FileSorter(context)) {
      FileSink found =
          (partition, file) -> {
            listed.add(partition, file);
            counted.add(file);
          };
      TouchedListing.ofAll(context).runOnTable(found);
      outside.list(found);
      return new CheckpointWriter(context).rebuild(head, listed.files());
    }
  }

  private void requirePossible(Head head) throws InvalidConfigException {
    if (head.readers() == Readers.SNAPSHOT) {
      throw UsageErrors.repairOfSnapshotTable(context.paths().root());
    }
    if (!head.active().isEmpty()) {
      throw UsageErrors.repairWithUnfinished(context.paths().root());
    }
    List<String> followers =
        head.followers().stream().filter(it -> !it.ending()).map(it -> it.kind().label()).toList();
    if (!followers.isEmpty()) {
      // They have reached this version, so they would not hear that its files changed.
      throw UsageErrors.repairWithFollowers(context.paths().root(), followers);
    }
    if (head.version() == 0) {
      throw UsageErrors.noVersionToRepair(context.paths().root());
    }
  }
}
