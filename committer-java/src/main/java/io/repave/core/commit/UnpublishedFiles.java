package io.repave.core.commit;

import io.repave.core.conflict.CancelledCommits;
import io.repave.core.engine.TableContext;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.History;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The files that a listing shows although a version does not have them: those of commits that are
 * unfinished, were published after the version, or were reverted.
 *
 * <p>Requests: 1 GET of the head. It comes after the listing, so it names the commit of every such
 * file; 1 GET for each checkpoint since the version. If a commit was reverted or cancelled
 * meanwhile, also 1 HEAD for each other commit that wrote a listed file.
 */
final class UnpublishedFiles {
  private final Set<String> commits = new HashSet<>();
  private final Map<String, Boolean> cancelled = new HashMap<>();
  private final CancelledCommits marks;
  private boolean mayHaveForgotten;

  private UnpublishedFiles(TableContext context) {
    this.marks = new CancelledCommits(context);
  }

  /**
   * As of now, those that a version of a head does not have. The head counts too: the log of a
   * newer one may have forgotten a commit that was reverted meanwhile.
   */
  static UnpublishedFiles after(TableContext context, Head before, long version)
      throws IOException, InterruptedException {
    UnpublishedFiles found = new UnpublishedFiles(context);
    found.add(before, version);
    Optional<Head> head = context.heads().read().head();
    if (head.isPresent()) {
      found.add(head.get(), version);
      // A revert changes the fence, and its entry may have left the log by now. Its mark stays.
      found.mayHaveForgotten = !head.get().fence().equals(before.fence());
      for (LoggedCommit each : new History(context).publishedSince(head.get(), version)) {
        found.commits.add(each.id().id());
      }
    }
    return found;
  }

  private void add(Head head, long version) {
    for (ActiveCommit each : head.active()) {
      if (each.version() == 0 || each.version() > version) {
        commits.add(each.id().id());
      }
    }
    for (LoggedCommit each : head.log()) {
      if (each.reverted()) {
        commits.add(each.id().id());
      }
    }
  }

  boolean contain(String name) throws IOException, InterruptedException {
    Optional<String> commit = PartFileName.commitOf(name);
    return commit.isPresent() && (commits.contains(commit.get()) || isCancelled(commit.get()));
  }

  private boolean isCancelled(String commit) throws IOException, InterruptedException {
    if (!mayHaveForgotten) {
      return false;
    }
    Boolean known = cancelled.get(commit);
    if (known == null) {
      known = marks.contains(commit);
      cancelled.put(commit, known);
    }
    return known;
  }
}
