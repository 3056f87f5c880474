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
 * @param messages messages of tasks whose commits began before the cutoff. A task may store one
 *     after the first job of a table was aborted; engines then refuse the folder. Deleting them is
 *     safe: a commit of Spark has the same uploads in its ledger, and without a ledger it fails. A
 *     MapReduce job would not notice a missing message, so all stay while it has a record.
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
