package io.repave.core.follow;

import io.repave.core.engine.TableContext;
import io.repave.core.ledger.Schema;
import io.repave.core.listing.StoredFacts;
import io.repave.core.record.FileEntry;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Files whose writers did not record their columns, evenly spread over all of these files. They
 * tell the columns themselves. Requests: 1 GET for each sample, 2 for a large footer.
 */
final class ColumnSamples {
  private static final int SAMPLES = 32;

  private final TableContext context;
  private final List<Sample> samples = new ArrayList<>();
  private long files;
  private long step = 1;

  private record Sample(Location at, long bytes) {}

  ColumnSamples(TableContext context) {
    this.context = context;
  }

  void file(String partition, FileEntry file) {
    boolean isAsked = FollowedChange.isRead(file) && !FollowedChange.tellsColumns(file);
    if (isAsked && files++ % step == 0) {
      samples.add(new Sample(context.paths().file(partition, file.name()), file.bytes()));
      thin();
    }
  }

  /** Drops every second sample when there are too many, so that they stay evenly spread. */
  private void thin() {
    if (samples.size() >= 2 * SAMPLES) {
      for (int i = samples.size() - 1; i > 0; i -= 2) {
        samples.remove(i);
      }
      step *= 2;
    }
  }

  /**
   * Adds what the samples tell. A file that is gone tells nothing, and neither does one that the
   * store refuses to read, because it is archived or is shorter now. Throws when no sample tells
   * its columns because of that: the cause may be in the requests, such as a missing key.
   */
  void tell(FollowedChange known) throws IOException, InterruptedException {
    StoredFacts stored = new StoredFacts(context);
    StoreException refused = null;
    boolean areTold = false;
    for (Sample sample : samples) {
      try {
        Optional<Schema> found = stored.of(sample.at(), sample.bytes()).schema();
        if (found.isPresent()) {
          areTold = true;
          known.columns(found.get().json());
        }
      } catch (StoreException e) {
        if (e.kind() != Kind.INVALID) {
          throw e;
        }
        refused = refused == null ? e : refused;
      }
    }
    if (refused != null && !areTold) {
      throw refused;
    }
  }
}
