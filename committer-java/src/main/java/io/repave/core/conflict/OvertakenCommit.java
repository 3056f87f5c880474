package io.repave.core.conflict;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.WaitingCommit;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Gives a commit its turn when other commits keep overtaking it. Otherwise an overwrite of a whole
 * table would find an unfinished append at every look, if appends never pause. It writes itself
 * into the head as {@code waiting}, and other commits that touch the same folders wait before they
 * reserve. The head has one such request: commits that wait at the same time take turns.
 *
 * <p>No decision depends on it. Every commit waits for a limited time, so a waiting process that
 * died delays others once.
 *
 * <p>Requests: 1 PUT If-Match to ask, at most once in 2 seconds; for commits that wait, 1 GET of
 * the head per look.
 */
public final class OvertakenCommit {
  /** How long a commit waits before it asks, and before it asks again. */
  private static final long PATIENCE_MILLIS = 2_000;

  /** How long other commits wait. */
  private static final long YIELD_MILLIS = 10_000;

  private static final long POLL_MILLIS = 250;

  private final TableContext context;
  private final LedgerIndex index;
  private final Map<CommitId, Long> yieldingSince = new HashMap<>();
  private Optional<CommitId> seenWaiting = Optional.empty();
  private long seenSince;
  private long patientSince;
  private boolean asked;

  public OvertakenCommit(TableContext context, LedgerIndex index) {
    this.context = context;
    this.index = index;
    this.patientSince = context.clock().tickMillis();
  }

  /** Waits once if another commit waits for its turn; false when none does. */
  public boolean yielded(Head head) throws InterruptedException {
    boolean yields = mustYield(head);
    if (yields) {
      context.clock().sleep(POLL_MILLIS);
    }
    return yields;
  }

  /** True while another commit waits for its turn. */
  public boolean mustYield(Head head) {
    return head.waiting().filter(this::isInItsWay).filter(it -> !isOver(it)).isPresent();
  }

  /**
   * Asks other commits to wait, if they have overtaken this one for a while and the head does not
   * name it. Returns the head.
   */
  public VersionedHead ask(VersionedHead seen, int overtakers)
      throws IOException, InterruptedException {
    // At each look, because the time for which another request is seen counts.
    boolean free = seen.head().filter(this::isFree).isPresent();
    boolean patient = now() - patientSince < PATIENCE_MILLIS;
    if (!free || patient || overtakers < 2) {
      return seen;
    }
    asked = true;
    patientSince = now();
    WaitingCommit own = new WaitingCommit(index.id(), index.footprint().outline());
    return context
        .heads()
        .update(
            seen,
            head ->
                head.filter(this::isFree).map(it -> it.change().waiting(Optional.of(own)).done()));
  }

  /**
   * True when this commit may enter its request: it is not decided, and there is none, or the same
   * one of another commit was seen for the full time without a break. The time starts again with
   * each change. Otherwise two commits that wait would replace each other's request at every look.
   */
  private boolean isFree(Head head) {
    Optional<CommitId> other = head.waiting().map(WaitingCommit::id);
    if (!other.equals(seenWaiting)) {
      seenWaiting = other;
      seenSince = now();
    }
    // An earlier try may have succeeded. Nobody would remove the request of a decided commit.
    if (head.active(index.id()).isPresent() || head.logged(index.id()).isPresent()) {
      return false;
    }
    boolean isOther = !other.equals(Optional.of(index.id()));
    return other.isEmpty() || isOther && now() - seenSince >= YIELD_MILLIS;
  }

  /** The head without a waiting entry that has expired or is this commit's own. */
  public Head cleared(Head head) {
    boolean stays = head.waiting().filter(it -> !isOwn(it) && !isOver(it)).isPresent();
    return stays ? head : head.change().waiting(Optional.empty()).done();
  }

  /**
   * Removes the request when this commit gives up, so that other commits do not wait for it. An
   * interrupt may be why it gives up, so one does not stop this.
   */
  public void withdraw() throws InterruptedException {
    if (!asked) {
      return;
    }
    try {
      context
          .runner()
          .despiteInterrupt(() -> context.heads().update(context.heads().read(), this::withoutOwn));
    } catch (IOException ignored) {
      // Other commits stop waiting by themselves, and the job has another error to report.
    }
  }

  private Optional<Head> withoutOwn(Optional<Head> head) {
    return head.filter(it -> it.waiting().filter(this::isOwn).isPresent())
        .map(it -> it.change().waiting(Optional.empty()).done());
  }

  private boolean isOwn(WaitingCommit waiting) {
    return waiting.id().equals(index.id());
  }

  private boolean isInItsWay(WaitingCommit waiting) {
    return !isOwn(waiting) && index.footprint().mayOverlap(waiting.touched());
  }

  /** True when this commit has waited for the full time, counted from its first look. */
  private boolean isOver(WaitingCommit waiting) {
    long since = yieldingSince.computeIfAbsent(waiting.id(), it -> now());
    return now() - since >= YIELD_MILLIS;
  }

  private long now() {
    return context.clock().tickMillis();
  }
}
