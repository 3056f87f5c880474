package io.repave.core.conflict;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.record.CommitId;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.WaitingCommit;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lets a commit get its turn that others keep overtaking: an overwrite of a whole table beside
 * writers that append all the time would otherwise find one of them unfinished whenever it looks.
 * It puts itself into the head as {@code waiting}, and others that touch the same folders hold back
 * before they reserve.
 *
 * <p>Nothing is decided here. Everybody holds back for a limited time, so a waiting process that
 * died delays others once.
 *
 * <p>Requests: 1 PUT If-Match to ask; for those who hold back 1 GET of the head each time they
 * look.
 */
public final class StarvationGuard {
  /** How long a commit waits before it asks. */
  private static final long PATIENCE_MILLIS = 2_000;

  /** How long others hold back. */
  private static final long YIELD_MILLIS = 10_000;

  private static final long POLL_MILLIS = 250;

  private final TableContext context;
  private final LedgerIndex index;
  private final long begunMillis;
  private final Map<CommitId, Long> yieldingSince = new HashMap<>();
  private boolean asked;

  public StarvationGuard(TableContext context, LedgerIndex index) {
    this.context = context;
    this.index = index;
    this.begunMillis = context.clock().tickMillis();
  }

  /** Holds back for a moment if another commit waits for its turn; false when none does. */
  public boolean yielded(Head head) throws InterruptedException {
    Optional<WaitingCommit> other = head.waiting().filter(this::isInItsWay);
    if (other.isEmpty() || isOver(other.get())) {
      return false;
    }
    context.clock().sleep(POLL_MILLIS);
    return true;
  }

  /** Asks others to hold back once this commit was overtaken for a while. Returns the new head. */
  public VersionedHead ask(VersionedHead seen, int overtakers)
      throws IOException, InterruptedException {
    boolean patient = now() - begunMillis < PATIENCE_MILLIS;
    if (asked || patient || overtakers < 2 || seen.head().isEmpty()) {
      return seen;
    }
    asked = true;
    WaitingCommit own = new WaitingCommit(index.id(), index.footprint().outline());
    return context
        .heads()
        .update(
            seen,
            head ->
                head.filter(it -> it.waiting().isEmpty())
                    .map(it -> it.change().waiting(Optional.of(own)).done()));
  }

  /** The head without an entry that has had its time, or is this commit's own. */
  public Head cleared(Head head) {
    boolean stays = head.waiting().filter(it -> !isOwn(it) && !isOver(it)).isPresent();
    return stays ? head : head.change().waiting(Optional.empty()).done();
  }

  /** Takes the request back when this commit gives up. Whoever yields to it waits in vain. */
  public void withdraw() throws InterruptedException {
    if (!asked) {
      return;
    }
    try {
      context
          .heads()
          .update(
              context.heads().read(),
              head ->
                  head.filter(it -> it.waiting().filter(this::isOwn).isPresent())
                      .map(it -> it.change().waiting(Optional.empty()).done()));
    } catch (IOException e) {
      // Others stop yielding by themselves, and the job has something worse to report.
      asked = false;
    }
  }

  private boolean isOwn(WaitingCommit waiting) {
    return waiting.id().equals(index.id());
  }

  private boolean isInItsWay(WaitingCommit waiting) {
    return !isOwn(waiting)
        && (waiting.touched().isEmpty()
            || index.footprint().overlaps(Footprint.of(waiting.touched(), List.of())));
  }

  /** True when this commit held back for its full time, counted from its first sight. */
  private boolean isOver(WaitingCommit waiting) {
    long since = yieldingSince.computeIfAbsent(waiting.id(), it -> now());
    return now() - since >= YIELD_MILLIS;
  }

  private long now() {
    return context.clock().tickMillis();
  }
}
