package io.repave.core.engine;

import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileTotals;
import java.util.Map;

/** What a commit did, and the requests and time that the process which finished it spent. */
public record CommitReport(
    CommitId id,
    CommitKind kind,
    long version,
    FileTotals totals,
    Map<CountedStore.Request, Long> requests,
    Map<Step, Long> millis) {
  public CommitReport {
    requests = Map.copyOf(requests);
    millis = Map.copyOf(millis);
  }
}
