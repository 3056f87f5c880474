package io.repave.core.conflict;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.snapshot.History;
import java.io.IOException;
import java.util.Optional;

/**
 * Finds out whether a commit is decided when its reservation got no clear answer. A head without
 * the commit is not enough to say no, because the request may still be in flight. A successful swap
 * of the head makes that request fail.
 *
 * <p>Requests: 1 PUT If-Match, or If-None-Match when there is no head; 1 HEAD of the manifest if no
 * head names the commit. Readers see: the old rows. If the process dies here: the head says whether
 * the commit is decided.
 */
public final class Fence {
  private final TableContext context;
  private final VersionedHead begun;

  /** {@code begun} is the head before the reservation. */
  public Fence(TableContext context, VersionedHead begun) {
    this.context = context;
    this.begun = begun;
  }

  /** The result of a fence. */
  public enum Finding {
    /** The commit is not reserved and can never be reserved. */
    FENCED,
    /** The commit is decided: it is finished, or a process will finish it. */
    DECIDED,
    /**
     * The head that could tell is gone: the table's records were deleted, or an older head was put
     * back. The commit can never be reserved, and whether it was is not known.
     */
    LOST,
    /** As before, and the commit has a manifest: it was decided, and perhaps published. */
    PLANNED
  }

  /** {@code empty} is the head to write when there is none. */
  public Finding run(CommitId id, VersionedHead from, Head empty)
      throws IOException, InterruptedException {
    VersionedHead fenced =
        context
            .heads()
            .update(
                from,
                current ->
                    isLost(current) || current.filter(head -> names(head, id)).isPresent()
                        ? Optional.empty()
                        : Optional.of(current.orElse(empty)));
    if (isLost(fenced.head())) {
      // Every try expects a head that is gone, so none can succeed any more.
      return isPlanned(id) ? Finding.PLANNED : Finding.LOST;
    }
    // The fence makes this final. The head's log may no longer contain a commit decided earlier.
    Head head = fenced.head().orElse(empty);
    boolean decided =
        names(head, id) || new History(context).ended(head, id, begun.version()).isPresent();
    if (decided) {
      return Finding.DECIDED;
    }
    // A head that named the commit may have been deleted, or replaced by the one before it.
    boolean named = isPlanned(id) && !new CancelledCommits(context).contains(id.id());
    return named ? Finding.PLANNED : Finding.FENCED;
  }

  private boolean isLost(Optional<Head> now) {
    return begun.isDropped(now) || begun.isSetBack(now);
  }

  /** Whether a process has found the commit in a head. A manifest is put before the publication. */
  public boolean isPlanned(CommitId id) throws IOException, InterruptedException {
    return context.records().find(context.paths().manifest(id)).isPresent();
  }

  private static boolean names(Head head, CommitId id) {
    return head.active(id).isPresent() || head.logged(id).isPresent();
  }
}
