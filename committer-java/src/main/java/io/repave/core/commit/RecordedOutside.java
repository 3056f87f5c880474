package io.repave.core.commit;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.TableContext;
import io.repave.core.listing.OrderedListing;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.FileEntry;
import io.repave.core.snapshot.FileDifference;
import io.repave.core.snapshot.FileSorter;
import io.repave.core.snapshot.OutsidePartitions;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.List;

/**
 * The recorded files of a listing table outside its folder. An adoption looks which of them no
 * longer exist, because a catalog's {@code DROP PARTITION} deletes files there too. It adds none:
 * other tables may have partitions in the same folders.
 *
 * <p>Requests: LISTs of the recorded partitions outside; none for a table that has none.
 */
final class RecordedOutside implements AutoCloseable {
  private final TableContext context;
  private final OutsidePartitions partitions;
  private final FileSorter recorded;

  RecordedOutside(TableContext context) {
    this.context = context;
    this.partitions = new OutsidePartitions(context);
    this.recorded = new FileSorter(context);
  }

  void add(String partition, FileEntry file) throws IOException, InterruptedException {
    partitions.add(partition);
    recorded.add(partition, file);
  }

  /** Passes on the files that no longer exist. */
  void missing(FileSink gone) throws IOException, InterruptedException {
    List<String> folders = partitions.outermost();
    if (folders.isEmpty()) {
      return;
    }
    try (FileSorter listed = new FileSorter(context)) {
      TouchedListing.ofAll(context).run(folders, listed::add);
      new FileDifference(recorded.files(), listed.files()).run(gone, (partition, file) -> {});
    }
  }

  /**
   * Throws when one of the partitions cannot be listed: an adoption that found this out after its
   * decision could not be planned. Requests: 1 LIST for each partition that is not inside another.
   */
  static void requireListable(TableContext context, OutsidePartitions partitions)
      throws IOException, InterruptedException {
    context
        .runner()
        .each(
            partitions.outermost().iterator(),
            folder -> {
              Location at = context.paths().folder(folder);
              new OrderedListing(context, at).first();
            });
  }

  @Override
  public void close() throws IOException {
    recorded.close();
  }
}
