package io.repave.core.commit;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.TableContext;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.record.RecordNames;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.FileDifference;
import io.repave.core.snapshot.FileSorter;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Location;
import java.io.IOException;

/**
 * How the folders of a listing table differ from its records: files that no record names, and
 * recorded files that no longer exist. The latter may also be in partitions outside, because a
 * catalog's {@code TRUNCATE} and {@code DROP PARTITION} delete files without a commit. No commit
 * uses a file name twice, so a deleted file never returns and the time of the listing does not
 * matter. Other writers do: a file of another size than the recorded one counts as unrecorded.
 * Files of commits that are not published are left to these commits: they may be reverted.
 *
 * <p>Requests: those of {@link LiveFiles}, {@link UnpublishedFiles} and {@link RecordedOutside},
 * and the LISTs of the table.
 */
final class UnrecordedFiles {
  private final TableContext context;
  private final TouchedListing listing;

  UnrecordedFiles(TableContext context, TouchedListing listing) {
    this.context = context;
    this.listing = listing;
  }

  /** Compares the folders with the records of a version of a head. */
  void run(Head head, long version, FileSink gone, FileSink unrecorded)
      throws IOException, InterruptedException {
    try (FileSorter listed = new FileSorter(context);
        RecordedOutside outside = new RecordedOutside(context);
        LiveFiles.Open recorded = new LiveFiles(context).all(head, version)) {
      list(listed::add);
      UnpublishedFiles unpublished = UnpublishedFiles.after(context, head, version);
      FileDifference difference = new FileDifference(recorded, listed.files());
      difference.run(
          (partition, file) -> {
            if (RecordNames.isOutside(partition)) {
              outside.add(partition, file);
            } else if (!isThere(partition, file)) {
              gone.file(partition, file);
            }
          },
          (partition, file) -> {
            if (!unpublished.contain(file.name())) {
              unrecorded.file(partition, file);
            }
          },
          unrecorded);
      outside.missing(gone);
    }
  }

  /** An append may write to a hidden folder, which no listing of data files shows. */
  private boolean isThere(String partition, FileEntry file)
      throws IOException, InterruptedException {
    TablePaths paths = context.paths();
    Location at = paths.file(partition, file.name());
    return TouchedListing.isAtHiddenPlace(paths.root().relative(at))
        && context.records().find(at).isPresent();
  }

  /** Passes on every file in the table's folder, except those of other tables inside it. */
  void list(FileSink sink) throws IOException, InterruptedException {
    listing.runOnTable(sink);
  }
}
