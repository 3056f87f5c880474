package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.listing.OrderedListing;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The commits of a table of which any record is left: an entry in the head's log or in a
 * checkpoint, or a record of their own. A commit whose records vacuum removed is not among them.
 *
 * <p>Requests: LISTs of the commits' records, 1 GET for each checkpoint.
 */
final class KnownCommits {
  private final Set<String> ids = new HashSet<>();

  private KnownCommits() {}

  static KnownCommits of(TableContext context, Head head) throws IOException, InterruptedException {
    KnownCommits known = new KnownCommits();
    known.add(head.log());
    try {
      new CheckpointChain(context).eachSince(head, 0, (name, index) -> known.add(index.commits()));
    } catch (InvalidRecordException lost) {
      // The checkpoints before it are out of reach; what they name may have records of its own.
    }
    Location commits = context.paths().commits();
    new OrderedListing(context, commits)
        .each(
            object ->
                context
                    .paths()
                    .commitOf(new Location(commits.bucket(), object.key()))
                    .ifPresent(commit -> known.ids.add(commit.id())));
    return known;
  }

  boolean contain(String id) {
    return ids.contains(id);
  }

  private void add(List<LoggedCommit> commits) {
    commits.forEach(commit -> ids.add(commit.id().id()));
  }
}
