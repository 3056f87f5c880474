package io.repave.core.commit;

import io.repave.core.engine.CommitReport;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.TableContext;
import io.repave.core.error.CommitErrors;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.record.CommitId;
import io.repave.core.record.FileTotals;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** Builds the report, the result or the error of a commit. */
final class Reporter {
  private final TableContext context;

  Reporter(TableContext context) {
    this.context = context;
  }

  CommitReport report(LedgerIndex index, CommitManifest manifest, long version) {
    return new CommitReport(
        index.id(),
        index.kind(),
        version,
        manifest.index().totals(),
        requests(),
        context.meter().millis());
  }

  private Map<CountedStore.Request, Long> requests() {
    return context.store() instanceof CountedStore counted ? counted.counts() : Map.of();
  }

  CommitResult result(CommitReport report) {
    return new CommitResult(report.id(), report.version(), report.totals(), Optional.of(report));
  }

  CommitResult earlier(LoggedCommit commit) {
    return new CommitResult(commit.id(), commit.version(), FileTotals.NONE, Optional.empty());
  }

  CommitStateUnknownException decidedNotFinished(CommitId id, Throwable cause) {
    return CommitErrors.decidedNotFinished(
        id.id(), context.paths().root(), context.paths().commit(id), named(cause));
  }

  CommitStateUnknownException publishedNotFinished(CommitId id, Throwable cause) {
    return CommitErrors.publishedNotFinished(
        id.id(), context.paths().root(), context.paths().commit(id), named(cause));
  }

  /** The message of a missing class, say, does not tell what is wrong without the error's name. */
  private static Throwable named(Throwable cause) {
    boolean isClear = cause instanceof IOException || cause instanceof InterruptedException;
    return isClear ? cause : new IOException(cause.toString(), cause);
  }
}
