package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.listing.InnerTables;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import java.io.IOException;
import java.util.List;

/**
 * Begins the records of a listing table anew from the files that lie there, when records of its
 * history are gone. The folders are what readers see, so no row changes; what is lost is the detail
 * of earlier commits.
 *
 * <p>Requests: LISTs of the whole table, 1 PUT for 10,000 files, 1 PUT If-Match. Readers see: the
 * same rows. If we die here: the old records are in force.
 */
public final class RepairRecords {
  private final TableContext context;

  public RepairRecords(TableContext context) {
    this.context = context;
  }

  public RepairReport run() throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    Head head = seen.head().orElseThrow(this::unknown);
    requirePossible(head);
    Counted counted = new Counted();
    // Where the history is lost, it begins with what the head itself names.
    long from = new CheckpointWriter(context).isReadable(head) ? head.historyFrom() : logged(head);
    String checkpoint = checkpoint(head, counted);
    VersionedHead swapped =
        context
            .heads()
            .update(
                seen,
                now ->
                    now.filter(it -> it.version() == head.version() && it.hasCheckpointOf(head))
                        .filter(it -> it.active().isEmpty())
                        .filter(it -> it.historyFrom() == head.historyFrom())
                        .map(it -> it.change().historyFrom(from))
                        .map(it -> it.checkpoint(head.version(), checkpoint).done()));
    boolean named = swapped.head().map(Head::checkpoint).filter(checkpoint::equals).isPresent();
    if (!named) {
      throw new CommitConflictException(
          "Another job committed to, or vacuumed, "
              + context.paths().root()
              + " while its files were listed. Nothing was changed; run it again.");
    }
    long kept = new History(context).known(swapped.head().orElseThrow()).size();
    return new RepairReport(head.version(), counted.files, counted.bytes, head.version() - kept);
  }

  private static long logged(Head head) {
    return head.publishedSince(0).stream()
        .mapToLong(LoggedCommit::version)
        .min()
        .orElse(head.version() + 1);
  }

  /** What lies in the table. */
  private static final class Counted {
    private long files;
    private long bytes;

    synchronized void add(FileEntry file) {
      files++;
      bytes += file.bytes();
    }
  }

  private String checkpoint(Head head, Counted counted) throws IOException, InterruptedException {
    InnerTables inner = new InnerTables(context);
    try (ListedFiles lying = new ListedFiles(context)) {
      TouchedListing.ofAll(context)
          .run(
              List.of(""),
              (partition, file) -> {
                if (!inner.hold(context.paths().file(partition, file.name()))) {
                  lying.add(partition, file);
                  counted.add(file);
                }
              });
      return new CheckpointWriter(context).writeAnew(head, lying.files());
    }
  }

  private void requirePossible(Head head) throws InvalidConfigException {
    String table = context.paths().root().toString();
    if (head.readers() == Readers.SNAPSHOT) {
      throw new InvalidConfigException(
          "The table "
              + table
              + " has repave.readers=snapshot: its folders hold replaced and unpublished files too,"
              + " so its records cannot be written anew from them. Restore the missing records from the"
              + " bucket's older versions.");
    }
    if (!head.active().isEmpty()) {
      throw new InvalidConfigException(
          "The table "
              + table
              + " has unfinished commits, whose files may or may not count. Nothing was changed."
              + " First run: "
              + context.recoverCommand());
    }
  }

  private InvalidConfigException unknown() {
    return new InvalidConfigException(
        "Repave has not committed to " + context.paths().root() + ": it has no records to repair.");
  }
}
