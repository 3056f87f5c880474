package io.repave.core.step;

import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import java.io.IOException;
import java.util.Optional;

/**
 * Settles whether a commit whose reservation got no answer is decided. Reading the head is not
 * enough to say no: the request may still be under way. A swap of our own that wins makes it lose.
 *
 * <p>Requests: 1 PUT If-Match (or If-None-Match where there is no head). Readers see: the old rows.
 */
public final class Fence {
  private final HeadStore heads;

  public Fence(HeadStore heads) {
    this.heads = heads;
  }

  /** What the fence found. */
  public enum Finding {
    /** The commit is not reserved and can never be. */
    FENCED,
    /** The commit is decided: it will be, or was, finished. */
    DECIDED
  }

  /** {@code empty}: the head to write where there is none. */
  public Finding run(CommitId id, HeadStore.Seen from, Head empty)
      throws IOException, InterruptedException {
    HeadStore.Seen fenced =
        heads.update(
            from,
            current ->
                current.isPresent() && knows(current.get(), id)
                    ? Optional.empty()
                    : Optional.of(current.orElse(empty)));
    return knows(fenced.head().orElse(empty), id) ? Finding.DECIDED : Finding.FENCED;
  }

  private static boolean knows(Head head, CommitId id) {
    return head.active(id).isPresent() || head.logged(id).isPresent();
  }
}
