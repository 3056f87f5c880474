package io.repave.core.vacuum;

import io.repave.core.engine.TableContext;
import io.repave.core.listing.OrderedListing;
import io.repave.core.record.CommitId;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.core.vacuum.OrphanFinder.OrphanRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The records in a folder without a head, which has few. Requests: 1 LIST.
 *
 * @param areThere whether the folder has any record
 * @param commits the ids of all commits that have one
 * @param messages the stored messages of tasks whose commits began before the cutoff. A task may
 *     store its message after its job, the first one of a table, was aborted; then nothing else is
 *     in the folder, and engines refuse to write to it, or skip the write. Without a head there is
 *     no fence, but the ledger that a commit of Spark stores says all that its messages say, and a
 *     job that misses one before that fails. A MapReduce job lists its messages and would miss
 *     none, so all stay while the folder has the record of one.
 */
record HeadlessRecords(boolean areThere, Set<String> commits, List<OrphanRecord> messages) {
  static HeadlessRecords list(TableContext context, long cutoffMillis)
      throws IOException, InterruptedException {
    boolean[] found = {false};
    boolean[] hasJob = {false};
    Location jobs = context.paths().jobs();
    Set<String> commits = new HashSet<>();
    List<OrphanRecord> messages = new ArrayList<>();
    Location records = context.paths().records();
    new OrderedListing(context, records)
        .each(
            object -> {
              found[0] = true;
              Location at = new Location(records.bucket(), object.key());
              hasJob[0] |= jobs.holds(at);
              Optional<CommitId> commit = context.paths().commitOf(at);
              commit.ifPresent(it -> commits.add(it.id()));
              if (at.name().startsWith(TablePaths.TASK)
                  && commit.filter(it -> it.startedMillis() <= cutoffMillis).isPresent()) {
                messages.add(new OrphanRecord(at, ""));
              }
            });
    return new HeadlessRecords(found[0], commits, hasJob[0] ? List.of() : messages);
  }
}
