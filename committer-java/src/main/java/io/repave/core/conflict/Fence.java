package io.repave.core.conflict;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.snapshot.History;
import java.io.IOException;
import java.util.Optional;

/**
 * Settles whether a commit whose reservation got no answer is decided. Reading the head is not
 * enough to say no: the request may still be under way. A swap of our own that wins makes it lose.
 *
 * <p>Requests: 1 PUT If-Match (or If-None-Match where there is no head). Readers see: the old rows.
 */
public final class Fence {
  private final TableContext context;
  private final VersionedHead begun;

  /** {@code begun}: the head from before the reservation. */
  public Fence(TableContext context, VersionedHead begun) {
    this.context = context;
    this.begun = begun;
  }

  /** What the fence found. */
  public enum Finding {
    /** The commit is not reserved and can never be. */
    FENCED,
    /** The commit is decided: it will be, or was, finished. */
    DECIDED,
    /**
     * The table's records went meanwhile: it can be reserved no more, and nothing tells if it was.
     */
    DROPPED
  }

  /** {@code empty}: the head to write where there is none. */
  public Finding run(CommitId id, VersionedHead from, Head empty)
      throws IOException, InterruptedException {
    VersionedHead fenced =
        context
            .heads()
            .update(
                from,
                current ->
                    begun.isDropped(current) || current.filter(head -> names(head, id)).isPresent()
                        ? Optional.empty()
                        : Optional.of(current.orElse(empty)));
    if (begun.isDropped(fenced.head())) {
      // Every try wants a head of the dropped table in its place: none can win any more.
      return Finding.DROPPED;
    }
    // Once fenced nothing changes any more: what was decided before may have left the head's log.
    Head head = fenced.head().orElse(empty);
    boolean decided =
        names(head, id) || new History(context).ended(head, id, begun.version()).isPresent();
    return decided ? Finding.DECIDED : Finding.FENCED;
  }

  private static boolean names(Head head, CommitId id) {
    return head.active(id).isPresent() || head.logged(id).isPresent();
  }
}
