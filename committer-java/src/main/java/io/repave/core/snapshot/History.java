package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CheckpointIndex;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The commits of a table: those that the head's log names, and those in its checkpoints.
 *
 * <p>Requests: none while the log goes back far enough; otherwise 1 GET a checkpoint.
 */
public final class History {
  private final TableContext context;
  private final CheckpointChain chain;

  public History(TableContext context) {
    this.context = context;
    this.chain = new CheckpointChain(context);
  }

  /** All published commits that the records still name, oldest first. */
  public List<LoggedCommit> known(Head head) throws IOException, InterruptedException {
    return newest(head, Integer.MAX_VALUE);
  }

  /** At least so many of the newest commits, if there are; no checkpoint is read beyond them. */
  public List<LoggedCommit> newest(Head head, int wanted) throws IOException, InterruptedException {
    return read(head, Math.max(0, head.historyFrom() - 1), wanted);
  }

  /**
   * The commits published after {@code since}, oldest first, however old. Refused when the records
   * of some are gone: whoever took them for none would miss a conflict, or a file.
   */
  public List<LoggedCommit> publishedSince(Head head, long since)
      throws IOException, InterruptedException {
    if (since + 1 < head.historyFrom()) {
      throw new InvalidRecordException(
          "The history of "
              + context.paths().root()
              + " begins at version "
              + head.historyFrom()
              + ", and version "
              + (since + 1)
              + " is asked for. Vacuum removed what is older than repave.history.retention, or it"
              + " was lost. A job that began so long ago has to run again.");
    }
    return read(head, since, Integer.MAX_VALUE);
  }

  private List<LoggedCommit> read(Head head, long since, int wanted)
      throws IOException, InterruptedException {
    List<LoggedCommit> commits = new ArrayList<>(head.publishedSince(since));
    long oldest =
        commits.stream().mapToLong(LoggedCommit::version).min().orElse(head.version() + 1);
    Optional<CheckpointIndex> checkpoint =
        oldest > since + 1 && commits.size() < wanted ? chain.newest(head) : Optional.empty();
    while (checkpoint.isPresent() && oldest > since + 1 && commits.size() < wanted) {
      long before = oldest;
      checkpoint.get().commits().stream()
          .filter(commit -> commit.version() > since && commit.version() < before)
          .forEach(commits::add);
      oldest = Math.min(before, checkpoint.get().previousVersion() + 1);
      checkpoint = chain.before(head, checkpoint.get());
    }
    commits.sort(Comparator.comparingLong(LoggedCommit::version));
    return commits;
  }

  /**
   * How a commit ended: what the head's log says, or, since that log is bounded, the checkpoints
   * back to {@code since}. Empty when it was not published after that version: it is unfinished,
   * was never decided, or was reverted so long ago that the log forgot it.
   */
  public Optional<LoggedCommit> ended(Head head, CommitId id, long since)
      throws IOException, InterruptedException {
    Optional<LoggedCommit> logged = head.logged(id);
    if (logged.isPresent()) {
      return logged;
    }
    return publishedSince(head, since).stream().filter(it -> it.id().equals(id)).findFirst();
  }

  /**
   * Whether a commit that {@code reserved} names was published. One that the head names no more may
   * have been reverted, and its log may have forgotten which: to guess is to delete old files for
   * new ones that are gone.
   */
  public boolean published(VersionedHead now, CommitId id, VersionedHead reserved)
      throws IOException, InterruptedException {
    if (reserved.isDropped(now.head())) {
      return false;
    }
    Head head = now.head().orElseThrow();
    Optional<ActiveCommit> active = head.active(id);
    if (active.isPresent()) {
      return active.get().state() == CommitState.CLEANING;
    }
    Head before = reserved.head().orElseThrow();
    long since = before.active(id).map(ActiveCommit::base).orElse(before.version());
    return ended(head, id, since).filter(commit -> !commit.reverted()).isPresent();
  }
}
