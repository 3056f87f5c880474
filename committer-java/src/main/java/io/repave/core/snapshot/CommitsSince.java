package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The commits that were published since a job began, for a job that examines them before each try
 * of its swap. It does not read those before the last examined head again: with many of them, other
 * jobs would have changed the head each time, and no try could succeed.
 *
 * <p>Requests: those of {@link History} back to the last examined head.
 */
public final class CommitsSince {
  private final History history;
  private Optional<VersionedHead> examined = Optional.empty();

  public CommitsSince(TableContext context) {
    this.history = new History(context);
  }

  /** The job has examined all commits of this head, and none of them decides what it does. */
  public void examined(VersionedHead head) {
    examined = Optional.of(head);
  }

  /**
   * The commits of a head that are not examined yet, oldest first. At the beginning the commit of
   * the base is among them: where the log has lost it, a checkpoint tells whether it is still the
   * same commit. Otherwise commits of a head that was put back would be missed.
   */
  public List<LoggedCommit> unexamined(VersionedHead base, Head head)
      throws IOException, InterruptedException {
    if (examined.filter(it -> mayPrecede(it, head)).isPresent()) {
      LoggedCommit last = examined.get().newest().orElseThrow();
      List<LoggedCommit> commits = withCommitOf(examined.get(), head);
      if (!commits.isEmpty() && commits.get(0).id().equals(last.id())) {
        return commits.subList(1, commits.size());
      }
    }
    return withCommitOf(base, head);
  }

  /** A commit that was published since the last examined head. */
  public Optional<LoggedCommit> find(CommitId id, VersionedHead base, Head head)
      throws IOException, InterruptedException {
    return unexamined(base, head).stream().filter(it -> it.id().equals(id)).findFirst();
  }

  /** False when an older head was put back since, as far as the log of the head shows it. */
  private static boolean mayPrecede(VersionedHead earlier, Head head) {
    Optional<Head> now = Optional.of(head);
    return earlier.version() >= Math.max(1, head.historyFrom())
        && earlier.newest().isPresent()
        && !earlier.isDropped(now)
        && !earlier.isSetBack(now);
  }

  private List<LoggedCommit> withCommitOf(VersionedHead from, Head head)
      throws IOException, InterruptedException {
    Optional<IOException> unknown = history.reasonNotKnown(head, from.version());
    if (unknown.isPresent()) {
      throw unknown.get();
    }
    long first = Math.max(from.version(), head.historyFrom());
    return history.publishedSince(head, Math.max(0, first - 1));
  }
}
