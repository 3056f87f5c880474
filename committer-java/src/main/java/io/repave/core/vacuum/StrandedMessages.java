package io.repave.core.vacuum;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.listing.OrderedListing;
import io.repave.core.record.CommitId;
import io.repave.core.store.Location;
import io.repave.core.vacuum.OrphanFinder.OrphanRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages of tasks in a folder without a head. A task may store its message after its job, the
 * first one of a table, was aborted; then nothing else is in the folder, and engines refuse to
 * write to it, or skip the write.
 *
 * <p>Without a head there is no fence. But the ledger that a commit stores says all that its
 * messages say, and a job that misses one before that fails and publishes nothing.
 */
final class StrandedMessages {
  static final String PREFIX = "task-";

  private StrandedMessages() {}

  /** Those of commits that began before the cutoff. Requests: 1 LIST. */
  static List<OrphanRecord> find(TableContext context, long cutoffMillis)
      throws IOException, InterruptedException {
    List<OrphanRecord> found = new ArrayList<>();
    Location commits = context.paths().records().resolve("commits");
    new OrderedListing(context, commits)
        .each(
            object -> {
              Location at = new Location(commits.bucket(), object.key());
              if (at.name().startsWith(PREFIX) && isOlder(at.parent(), cutoffMillis)) {
                found.add(new OrphanRecord(at, ""));
              }
            });
    return found;
  }

  private static boolean isOlder(Location folder, long cutoffMillis) {
    try {
      return CommitId.parse(folder.name()).startedMillis() <= cutoffMillis;
    } catch (InvalidRecordException foreign) {
      return false;
    }
  }
}
