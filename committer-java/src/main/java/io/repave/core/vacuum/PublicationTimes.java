package io.repave.core.vacuum;

import io.repave.core.engine.TableContext;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.List;

/**
 * Finds out which commits were published after a point in time. A job may have begun long before it
 * was published. So the time of the report counts, which a commit writes after its publication. If
 * the report is lost, the time counts that the commit recorded by its own clock. Requests: 1 HEAD
 * for a commit that began before that point.
 */
final class PublicationTimes {
  private final TableContext context;
  private final long cutoffMillis;

  PublicationTimes(TableContext context, long cutoffMillis) {
    this.context = context;
    this.cutoffMillis = cutoffMillis;
  }

  boolean isPublishedSince(Head head, LoggedCommit commit)
      throws IOException, InterruptedException {
    CommitId id = commit.id();
    if (id.startedMillis() >= cutoffMillis || head.active(id).isPresent()) {
      return true;
    }
    Location report = context.paths().report(id);
    return context
            .records()
            .find(report)
            .map(ListedObject::modifiedMillis)
            .orElse(commit.publishedMillis())
        >= cutoffMillis;
  }

  /**
   * The first version of a history that was published since then; the head's version if there is
   * none. Versions are published in order, so a binary search finds it.
   */
  long firstSince(Head head, List<LoggedCommit> history) throws IOException, InterruptedException {
    int old = 0;
    int young = history.size();
    while (old < young) {
      int middle = (old + young) >>> 1;
      if (isPublishedSince(head, history.get(middle))) {
        young = middle;
      } else {
        old = middle + 1;
      }
    }
    return young < history.size() ? history.get(young).version() : head.version();
  }
}
