package io.repave.core.guard;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.TableContext;
import io.repave.core.listing.StoredFacts;
import io.repave.core.record.FileEntry;
import io.repave.core.store.Location;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Adds up the rows of files by partition. Files without recorded rows are read, in parallel. */
final class ReplacedRows implements FileSink {
  /** The files whose ends are read at a time. */
  private static final int BATCH = 1_000;

  private final TableContext context;
  private final StoredFacts stored;
  private final SortedMap<String, RowTotal> totals = new TreeMap<>(Utf8Order.KEYS);
  private List<Uncounted> uncounted = new ArrayList<>();

  private record Uncounted(String partition, Location at, long bytes) {}

  ReplacedRows(TableContext context) {
    this.context = context;
    this.stored = new StoredFacts(context);
  }

  @Override
  public void file(String partition, FileEntry file) throws IOException, InterruptedException {
    Location at = context.paths().file(partition, file.name());
    if (file.facts().rows().isPresent()) {
      total(partition).add(at.toString(), file.facts().rows());
      return;
    }
    uncounted.add(new Uncounted(partition, at, file.bytes()));
    if (uncounted.size() >= BATCH) {
      count();
    }
  }

  /** The rows of each partition that has files. */
  SortedMap<String, RowTotal> totals() throws IOException, InterruptedException {
    count();
    return totals;
  }

  private void count() throws IOException, InterruptedException {
    List<Uncounted> files = uncounted;
    uncounted = new ArrayList<>();
    context
        .runner()
        .each(
            files.iterator(),
            file -> {
              var rows = stored.of(file.at, file.bytes).rows();
              synchronized (totals) {
                total(file.partition).add(file.at.toString(), rows);
              }
            });
  }

  private RowTotal total(String partition) {
    return totals.computeIfAbsent(partition, unseen -> new RowTotal());
  }
}
