package io.repave.core.conflict;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.HeadStore;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Footprint;
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
  private final ConcurrentCommits neighbours;

  public AwaitUnfinishedCommits(TableContext context, ConcurrentCommits neighbours) {
    this.context = context;
    this.neighbours = neighbours;
  }

  /** Returns the head once none of them stands in the way; {@code first} is the first look. */
  public HeadStore.Seen over(CommitRequest request, HeadStore.Seen first)
      throws IOException, InterruptedException {
    List<ActiveCommit> unfinished = first.head().map(Head::active).orElse(List.of());
    if (unfinished.isEmpty()) {
      return first;
    }
    boolean blind = context.settings().conflicts() == ConflictPolicy.LAST_WRITER;
    try (var span = context.meter().begin(Step.RESERVE, 0)) {
      boolean changed = neighbours.finishedDead(first.head().orElseThrow());
      HeadStore.Seen seen = changed ? context.heads().read() : first;
      if (blind || !request.kind().replaces()) {
        return seen;
      }
      for (ActiveCommit other : unfinished) {
        seen = over(request, other.id(), seen);
      }
      return seen;
    }
  }

  private HeadStore.Seen over(CommitRequest request, CommitId id, HeadStore.Seen from)
      throws IOException, InterruptedException {
    HeadStore.Seen seen = from;
    Optional<ActiveCommit> other = in(seen, id);
    while (other.isPresent() && waited(request, other.get(), seen)) {
      seen = context.heads().read();
      other = in(seen, id);
    }
    return seen;
  }

  /** Waits a while for, or finishes, a commit that may stand in the way; false if it does not. */
  private boolean waited(CommitRequest request, ActiveCommit other, HeadStore.Seen seen)
      throws IOException, InterruptedException {
    if (!mayStandInTheWay(request, other)) {
      return false;
    }
    try {
      neighbours.waitFor(other, seen.head().orElseThrow());
      return true;
    } catch (IOException stuck) {
      // What a dynamic overwrite replaces is known when it commits. It fails then if it overlaps;
      // otherwise it has nothing to do with the commit that cannot be finished.
      boolean dynamic = request.kind() == CommitKind.DYNAMIC;
      if (dynamic && !sameToken(request, other) && !neighbours.footprint(other).isWhole()) {
        return false;
      }
      throw stuck;
    }
  }

  private static Optional<ActiveCommit> in(HeadStore.Seen seen, CommitId id) {
    return seen.head().flatMap(head -> head.active(id));
  }

  private boolean mayStandInTheWay(CommitRequest request, ActiveCommit other)
      throws IOException, InterruptedException {
    return sameToken(request, other)
        || !known(request)
        || neighbours.overlaps(Footprint.of(List.of(), request.scope()), other);
  }

  private static boolean sameToken(CommitRequest request, ActiveCommit other) {
    return !request.token().isEmpty() && request.token().equals(other.token());
  }

  /** A dynamic overwrite learns its folders from its tasks; a rollback replaces all there are. */
  private static boolean known(CommitRequest request) {
    return request.kind() == CommitKind.STATIC;
  }
}
