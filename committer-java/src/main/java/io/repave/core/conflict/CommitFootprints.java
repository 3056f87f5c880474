package io.repave.core.conflict;

import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Footprint;
import io.repave.core.record.LoggedCommit;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The folders that other commits touch. {@code touched} of a commit in the head covers all of its
 * folders; the ledger is read only when these overlap.
 *
 * <p>Requests: at most 1 GET per commit.
 */
final class CommitFootprints {
  private final TableContext context;
  private final Map<CommitId, Footprint> read = new HashMap<>();

  CommitFootprints(TableContext context) {
    this.context = context;
  }

  /** True when a published commit touches a folder of {@code own}. */
  boolean overlap(Footprint own, LoggedCommit other) throws IOException, InterruptedException {
    return own.mayOverlap(other.touched()) && own.overlaps(of(other.id(), other.kind()));
  }

  /** True when an unfinished commit touches a folder of {@code own}. */
  boolean overlap(Footprint own, ActiveCommit other) throws IOException, InterruptedException {
    return own.mayOverlap(other.touched()) && own.overlaps(of(other));
  }

  /** The folders that an unfinished commit touches. */
  Footprint of(ActiveCommit other) throws IOException, InterruptedException {
    return of(other.id(), other.kind());
  }

  private Footprint of(CommitId id, CommitKind kind) throws IOException, InterruptedException {
    Footprint footprint = read.get(id);
    if (footprint == null) {
      footprint = StoredLedger.open(context, id, kind).index().footprint();
      read.put(id, footprint);
    }
    return footprint;
  }
}
