package io.repave.core.conflict;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The unfinished commits that a job finds when it begins. Dead ones are finished, whatever the job
 * does. One that is published only after the job has taken its base, and touches what the job
 * replaces, is a sure conflict: the tasks have not read what it leaves. So a job that replaces
 * waits for the living ones that may stand in its way before it takes its base.
 *
 * <p>Only those of the first look are waited for, or a table that is always being written to would
 * never let a job begin. Jobs that add, and the last writer, replace nothing that they had to see.
 *
 * <p>Requests: none when nothing is unfinished; otherwise 1 GET of the head each time it is looked
 * at again, 1 GET for each commit when the job's folders are known, and what finishing a dead one
 * costs. If we die here: nothing of our own is there yet, and what was finished halfway is finished
 * by whoever comes next.
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

  /** Returns the head once none of them stands in the way; {@code first} is the first look. */
  public VersionedHead run(CommitRequest request, VersionedHead first)
      throws IOException, InterruptedException {
    List<ActiveCommit> unfinished = first.head().map(Head::active).orElse(List.of());
    if (unfinished.isEmpty()) {
      return first;
    }
    try (var span = context.meter().begin(Step.RESERVE, 0)) {
      boolean changed = concurrent.finishedDead(first.head().orElseThrow());
      VersionedHead seen = changed ? context.heads().read() : first;
      for (ActiveCommit other : unfinished) {
        seen = waitedFor(request, other.id(), seen);
      }
      return seen;
    }
  }

  private VersionedHead waitedFor(CommitRequest request, CommitId id, VersionedHead from)
      throws IOException, InterruptedException {
    VersionedHead seen = from;
    Optional<ActiveCommit> other = in(seen, id);
    while (other.isPresent() && waited(request, other.get(), seen)) {
      seen = context.heads().read();
      other = in(seen, id);
    }
    return seen;
  }

  /** Waits a while for, or finishes, a commit that may stand in the way; false if it does not. */
  private boolean waited(CommitRequest request, ActiveCommit other, VersionedHead seen)
      throws IOException, InterruptedException {
    if (!checker.mustWaitBeforeBegin(request, other)) {
      return false;
    }
    try {
      concurrent.waitFor(other, seen.head().orElseThrow());
      return true;
    } catch (IOException stuck) {
      if (checker.mayBeginBesideStuck(request, other)) {
        return false;
      }
      throw stuck;
    }
  }

  private static Optional<ActiveCommit> in(VersionedHead seen, CommitId id) {
    return seen.head().flatMap(head -> head.active(id));
  }
}
