package io.repave.core.conflict;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Head;
import java.io.IOException;
import java.util.List;

/**
 * Handles the unfinished commits that exist when a job begins. It finishes dead ones for every job.
 * A job that replaces files also waits, before it takes its base, for running commits that may
 * touch what it replaces. If such a commit were published after the base, it would be a certain
 * conflict, because the tasks have not read its rows.
 *
 * <p>The job waits only for the commits of the first look; otherwise a job could never begin on a
 * table with constant writes. Jobs that only add, and jobs with {@code
 * repave.conflict=last-writer}, do not wait.
 *
 * <p>Requests: none when no commit is unfinished. Otherwise 1 GET of the head per look, 1 GET per
 * commit when the job's folders are known, and those of finishing a dead commit. Readers see: the
 * old rows. If the process dies here: the job has written nothing yet, and another process finishes
 * the commits that were being finished.
 */
public final class AwaitUnfinishedCommits {
  private final TableContext context;
  private final ConflictChecker checker;
  private final ConcurrentCommits concurrent;

  public AwaitUnfinishedCommits(
      TableContext context, ConflictChecker checker, ConcurrentCommits concurrent) {
    this.context = context;
    this.checker = checker;
    this.concurrent = concurrent;
  }

  /** Returns the head once no such commit is left; {@code first} is the first look. */
  public VersionedHead run(CommitRequest request, VersionedHead first)
      throws IOException, InterruptedException {
    List<ActiveCommit> unfinished = first.head().map(Head::active).orElse(List.of());
    if (unfinished.isEmpty()) {
      return first;
    }
    try (var span = context.meter().begin(Step.RESERVE, 0)) {
      boolean changed = concurrent.finishDead(first.head().orElseThrow());
      VersionedHead seen = changed ? context.heads().read() : first;
      return concurrent.await(unfinished, seen, (other, head) -> waited(request, other, head));
    }
  }

  /** Waits once for a commit, or finishes it; false if the job need not wait for it. */
  private boolean waited(CommitRequest request, ActiveCommit other, Head head)
      throws IOException, InterruptedException {
    if (!checker.mustWaitBeforeBegin(request, other)) {
      return false;
    }
    context.requireNotStopped(request.commit());
    try {
      concurrent.waitFor(other, head);
      return true;
    } catch (IOException stuck) {
      if (checker.mayBeginDespiteUnfinishable(request, other)) {
        return false;
      }
      throw stuck;
    }
  }
}
