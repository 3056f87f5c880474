package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.error.RecordErrors;
import io.repave.core.error.UsageErrors;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Optional;

/**
 * Finds the version that was the newest at a moment.
 *
 * <p>Requests: none while the head's log goes back far enough; otherwise 1 GET for each checkpoint.
 * For commits of version 0.1, which recorded no time, the date of the report counts: 1 HEAD for
 * each that began before the moment, until the version is found.
 */
public final class VersionTimes {
  private final TableContext context;

  public VersionTimes(TableContext context) {
    this.context = context;
  }

  /** The newest version that was published at or before a moment. */
  public long at(Head head, long millis) throws IOException, InterruptedException {
    LoggedCommit[] oldest = {null};
    Optional<LoggedCommit> found =
        new History(context)
            .newest(
                head,
                commit -> {
                  oldest[0] = commit;
                  return isPublishedBy(head, commit, millis);
                });
    if (found.isPresent()) {
      return found.get().version();
    }
    Location table = context.paths().root();
    if (oldest[0] == null) {
      throw UsageErrors.noVersions(table);
    }
    throw oldest[0].version() > 1
        ? UsageErrors.noVersionRecorded(table, millis, oldest[0].version())
        : UsageErrors.noVersionYet(table, millis, oldest[0].publishedMillis());
  }

  private boolean isPublishedBy(Head head, LoggedCommit commit, long millis)
      throws IOException, InterruptedException {
    if (commit.publishedMillis() > 0) {
      return commit.publishedMillis() <= millis;
    }
    return commit.id().startedMillis() <= millis && dateOfReport(head, commit) <= millis;
  }

  private long dateOfReport(Head head, LoggedCommit commit)
      throws IOException, InterruptedException {
    Optional<ListedObject> report = context.records().find(context.paths().report(commit.id()));
    if (report.isEmpty() && head.active(commit.id()).isPresent()) {
      // Published and not finished: the head was written then, or later.
      report = context.records().find(context.paths().head());
    }
    Location missing = context.paths().report(commit.id());
    return report
        .orElseThrow(() -> RecordErrors.timeUnknown(commit.version(), missing))
        .modifiedMillis();
  }
}
