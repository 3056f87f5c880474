package io.repave.core.step;

import io.repave.core.CommitRequest;
import io.repave.core.ConflictPolicy;
import io.repave.core.Step;
import io.repave.core.error.CommitFailed;
import io.repave.core.error.InvalidConfig;
import io.repave.core.error.RecordRefused;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The unfinished commits that a job finds when it begins. One that is published only after the job
 * has taken its base, and touches what the job replaces, is a sure conflict: the tasks have not
 * read what it leaves. So those that may stand in the way are over before the base is taken.
 *
 * <p>Only those of the first look are waited for, or a table that is always being written to would
 * never let a job begin. Jobs that add, and the last writer, replace nothing that they had to see.
 *
 * <p>Requests: none when nothing is unfinished; otherwise 1 GET of the head each time it is looked
 * at again, 1 GET for each commit when the job's folders are known, and what finishing a dead one
 * costs. If we die here: nothing of our own is there yet, and what was finished halfway is finished
 * by whoever comes next.
 */
public final class Predecessors {
  private static final String UNDONE = " Nothing of this job was done;";

  private final StepContext context;
  private final Neighbours neighbours;

  public Predecessors(StepContext context, Neighbours neighbours) {
    this.context = context;
    this.neighbours = neighbours;
  }

  /** Returns the head once none of them stands in the way; {@code first} is the first look. */
  public HeadStore.Seen over(CommitRequest request, HeadStore.Seen first)
      throws IOException, InterruptedException {
    List<ActiveCommit> unfinished = first.head().map(Head::active).orElse(List.of());
    boolean blind = context.settings().conflicts() == ConflictPolicy.LAST_WRITER;
    if (unfinished.isEmpty() || blind || !request.kind().replaces()) {
      return first;
    }
    HeadStore.Seen seen = first;
    try (var span = context.meter().begin(Step.RESERVE, 0)) {
      for (ActiveCommit other : unfinished) {
        seen = over(request, other.id(), seen);
      }
    }
    return seen;
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
    try {
      if (!mayStandInTheWay(request, other)) {
        return false;
      }
      neighbours.see(seen.head().orElseThrow());
      neighbours.waitFor(other);
      return true;
    } catch (RecordRefused e) {
      String then = " mend that record, then run: " + context.recoverCommand();
      throw new RecordRefused(stuck(other.id()) + e.getMessage() + UNDONE + then, e);
    } catch (StoreException e) {
      String then = " mend the cause and run the job again.";
      throw new CommitFailed(stuck(other.id()) + e.getMessage() + "." + UNDONE + then, e);
    } catch (InvalidConfig e) {
      if (known(request)) {
        throw e;
      }
      // It wrote to folders where this job may finish nothing. Whether those are ours as well shows
      // when we commit.
      return false;
    }
  }

  private static Optional<ActiveCommit> in(HeadStore.Seen seen, CommitId id) {
    return seen.head().flatMap(head -> head.active(id));
  }

  private boolean mayStandInTheWay(CommitRequest request, ActiveCommit other)
      throws IOException, InterruptedException {
    boolean sameToken = !request.token().isEmpty() && request.token().equals(other.token());
    return sameToken
        || !known(request)
        || neighbours.overlaps(Footprint.of(List.of(), request.scope()), other.id());
  }

  /** A dynamic overwrite learns its folders from its tasks; a rollback replaces all there are. */
  private static boolean known(CommitRequest request) {
    return request.kind() == CommitKind.STATIC;
  }

  private String stuck(CommitId other) {
    return "This job cannot begin: commit "
        + other.id()
        + " of the table "
        + context.paths().root()
        + " is unfinished, may stand in its way, and could not be finished. ";
  }
}
