package io.repave.core.commit;

import io.repave.core.engine.TableContext;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.History;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The files that a listing shows although a version does not have them: those of commits that are
 * unfinished, were published after the version, or were reverted.
 *
 * <p>Requests: 1 GET of the head. It comes after the listing, so it names the commit of every such
 * file; 1 GET for each checkpoint since the version.
 */
final class UnpublishedFiles {
  private final Set<String> commits = new HashSet<>();

  private UnpublishedFiles() {}

  /**
   * As of now, those that the version of a head does not have. The head counts too: the log of a
   * newer one may have forgotten a commit that was reverted meanwhile.
   */
  static UnpublishedFiles after(TableContext context, Head before)
      throws IOException, InterruptedException {
    UnpublishedFiles found = new UnpublishedFiles();
    long version = before.version();
    found.add(before, version);
    Optional<Head> head = context.heads().read().head();
    if (head.isPresent()) {
      found.add(head.get(), version);
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

  boolean contain(String name) {
    return PartFileName.commitOf(name).filter(commits::contains).isPresent();
  }
}
