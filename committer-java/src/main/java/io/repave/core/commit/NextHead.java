package io.repave.core.commit;

import io.repave.core.conflict.ConcurrentCommits;
import io.repave.core.conflict.HeadSpace;
import io.repave.core.conflict.OvertakenCommit;
import io.repave.core.engine.TableContext;
import io.repave.core.error.CommitErrors;
import io.repave.core.guard.LocationCheck;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.snapshot.CheckpointWriter;
import java.io.IOException;
import java.util.Optional;

/**
 * Makes the head that reserves a commit, from a head that does not name it. The commit enters the
 * head when no unfinished commit blocks it, no other commit waits for its turn, and there is space.
 *
 * <p>Requests: those of {@link ConcurrentCommits} while it waits, those of {@link LocationCheck} if
 * a catalog follows the table, and those of one checkpoint if the head is full. Nothing here
 * decides the commit.
 */
final class NextHead {
  private final TableContext context;
  private final ConcurrentCommits concurrent;
  private final OvertakenCommit overtaken;
  private final LocationCheck locations;
  private final LedgerIndex index;
  private final long base;
  private boolean checkpointPossible;

  /** {@code base} is the version when the job began. */
  NextHead(
      TableContext context,
      ConcurrentCommits concurrent,
      OvertakenCommit overtaken,
      LedgerIndex index,
      long base) {
    this.context = context;
    this.concurrent = concurrent;
    this.overtaken = overtaken;
    this.locations = new LocationCheck(context);
    this.index = index;
    this.base = base;
  }

  /**
   * Empty, after a wait, when the head has to be read again. Throws when the commit may not be
   * reserved.
   */
  Optional<Head> orWait(Head head) throws IOException, InterruptedException {
    if (concurrent.waitedForBlocking(index, head) || overtaken.yielded(head)) {
      return Optional.empty();
    }
    locations.requireFree(index, head);
    if (!checkpointPossible && HeadSpace.isFull(head, entry())) {
      requireCheckpoint(head);
    }
    Optional<Head> next = adding(head);
    if (next.isEmpty()) {
      concurrent.waitForSpace(head);
    }
    return next;
  }

  /** The same without a wait; empty when the commit has to wait. */
  Optional<Head> atOnce(Head head) throws IOException, InterruptedException {
    if (concurrent.blocking(index, head).isPresent() || overtaken.mustYield(head)) {
      return Optional.empty();
    }
    locations.requireFree(index, head);
    return adding(head);
  }

  private Optional<Head> adding(Head head) {
    return HeadSpace.adding(overtaken.cleared(head), entry());
  }

  /**
   * Throws when no checkpoint can be written. This one is not used. The end of this commit writes
   * another one and shortens the log: until then, the unfinished commit keeps vacuum away from what
   * a checkpoint names.
   */
  private void requireCheckpoint(Head head) throws IOException, InterruptedException {
    try {
      new CheckpointWriter(context).write(head);
      checkpointPossible = true;
    } catch (IOException e) {
      throw CommitErrors.noCheckpoint(index.id().id(), context.paths().head(), e);
    }
  }

  private ActiveCommit entry() {
    return new ActiveCommit(
        index.id(),
        index.kind(),
        CommitState.PENDING,
        base,
        0,
        index.token(),
        context.clock().wallMillis(),
        context.settings().heartbeatMillis(),
        index.footprint().outline());
  }
}
