package io.repave.core.commit;

import io.repave.core.engine.CommitReport;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.FileTotals;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.CommitManifest;
import java.util.Map;
import java.util.Optional;

/** Says how a commit ended. */
final class Reporter {
  private final TableContext context;

  Reporter(TableContext context) {
    this.context = context;
  }

  CommitReport report(LedgerIndex index, CommitManifest plan, VersionedHead published) {
    return new CommitReport(
        index.id(),
        index.kind(),
        version(index.id(), published),
        plan.index().totals(),
        requests(),
        context.meter().millis());
  }

  /** The log may have forgotten a commit that is finished long after it was published. */
  private static long version(CommitId id, VersionedHead published) {
    Head head = published.head().orElseThrow();
    return head.active(id)
        .map(ActiveCommit::version)
        .or(() -> head.logged(id).map(LoggedCommit::version))
        .orElse(0L);
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

  CommitStateUnknownException unfinished(CommitId id, Exception cause) {
    return unfinished(id, "decided", cause);
  }

  CommitStateUnknownException unsettled(CommitId id, Exception cause) {
    return unfinished(id, "published", cause);
  }

  private CommitStateUnknownException unfinished(CommitId id, String state, Exception cause) {
    return new CommitStateUnknownException(
        "Commit "
            + id.id()
            + " is "
            + state
            + " but not finished: "
            + cause.getMessage()
            + ". Its rows are not lost, and until it is finished readers that list folders may see"
            + " old and new rows side by side. Delete nothing; finish it with: "
            + context.recoverCommand()
            + " (the next job on these partitions does so too). Its records are under "
            + context.paths().commit(id),
        cause);
  }
}
