package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.error.RecordErrors;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CheckpointIndex;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The commits of a table, read from the head's log and from its checkpoints.
 *
 * <p>Requests: none while the log goes back far enough; otherwise 1 GET per checkpoint.
 */
public final class History {
  private final TableContext context;
  private final CheckpointChain chain;

  public History(TableContext context) {
    this.context = context;
    this.chain = new CheckpointChain(context);
  }

  /** All published commits that are still recorded, oldest first. */
  public List<LoggedCommit> known(Head head) throws IOException, InterruptedException {
    return newest(head, Integer.MAX_VALUE);
  }

  /** At least {@code wanted} of the newest commits, if they exist; reads no further checkpoint. */
  public List<LoggedCommit> newest(Head head, int wanted) throws IOException, InterruptedException {
    return read(head, Math.max(0, head.historyFrom() - 1), wanted);
  }

  /** What a commit is searched by. */
  @FunctionalInterface
  interface Search {
    boolean finds(LoggedCommit commit) throws IOException, InterruptedException;
  }

  /** The newest published commit that is searched for; reads no checkpoint before it. */
  Optional<LoggedCommit> newest(Head head, Search search) throws IOException, InterruptedException {
    long since = Math.max(0, head.historyFrom() - 1);
    List<LoggedCommit> batch = new ArrayList<>(head.publishedSince(since));
    long oldest = head.version() + 1;
    Optional<CheckpointIndex> checkpoint = Optional.empty();
    while (true) {
      batch.sort(Comparator.comparingLong(LoggedCommit::version).reversed());
      for (LoggedCommit commit : batch) {
        if (search.finds(commit)) {
          return Optional.of(commit);
        }
        oldest = Math.min(oldest, commit.version());
      }
      if (oldest <= since + 1) {
        return Optional.empty();
      }
      checkpoint = checkpoint.isEmpty() ? chain.newest(head) : chain.before(head, checkpoint.get());
      if (checkpoint.isEmpty()) {
        return Optional.empty();
      }
      batch.clear();
      for (LoggedCommit commit : checkpoint.get().commits()) {
        if (commit.version() > since && commit.version() < oldest) {
          batch.add(commit);
        }
      }
    }
  }

  /**
   * Commits, oldest first, and the checkpoints that name them. Older checkpoints of the chain than
   * those of the version {@code checkpointsFrom} were not read.
   *
   * @param checkpoints the names of the checkpoints and of their shards
   */
  public record Recorded(
      List<LoggedCommit> commits, Set<String> checkpoints, long checkpointsFrom) {}

  /** The recorded commits after a version. Requests: 1 GET for each checkpoint. */
  public Recorded recordedSince(Head head, long since) throws IOException, InterruptedException {
    NavigableMap<Long, LoggedCommit> commits = new TreeMap<>();
    head.publishedSince(since).forEach(commit -> commits.put(commit.version(), commit));
    Set<String> names = new HashSet<>();
    long from =
        chain.eachSince(
            head,
            since,
            (name, index) -> {
              names.add(name);
              index.shards().forEach(shard -> names.add(shard.name()));
              index.commits().forEach(commit -> commits.putIfAbsent(commit.version(), commit));
            });
    return new Recorded(List.copyOf(commits.tailMap(since, false).values()), names, from);
  }

  /**
   * The commits published after {@code since}, oldest first. Refused when some of their records are
   * gone: a caller that did not know would miss a conflict or a file.
   */
  public List<LoggedCommit> publishedSince(Head head, long since)
      throws IOException, InterruptedException {
    Optional<IOException> unknown = reasonNotKnown(head, since);
    if (unknown.isPresent()) {
      throw unknown.get();
    }
    return read(head, since, Integer.MAX_VALUE);
  }

  /**
   * True when the records name another commit as the version of a published one: an older head was
   * put back. False when they do not go back so far, or cannot be read.
   */
  public boolean contradicts(Head head, LoggedCommit commit)
      throws IOException, InterruptedException {
    long since = commit.version() - 1;
    if (reasonNotKnown(head, since).isPresent()) {
      return false;
    }
    try {
      return read(head, since, Integer.MAX_VALUE).stream()
          .filter(it -> it.version() == commit.version())
          .anyMatch(it -> !it.id().equals(commit.id()));
    } catch (InvalidRecordException unknown) {
      return false;
    }
  }

  /** Why the records do not name all commits after a version; empty when they do. No request. */
  public Optional<IOException> reasonNotKnown(Head head, long since) {
    if (since + 1 >= head.historyFrom()) {
      return Optional.empty();
    }
    return Optional.of(
        RecordErrors.historyTooShort(context.paths().root(), head.historyFrom(), since + 1));
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
   * How a commit ended, from the head's log or, because the log is bounded, from the checkpoints
   * back to {@code since}. Empty when it was not published after that version: it is unfinished,
   * was never decided, or was reverted and is no longer in the log.
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
   * The version of a commit that {@code reserved} names; empty when it was not published. A commit
   * that the present head does not name may have been reverted and have left the log. If it were
   * treated as published, old files would be deleted although the new ones do not exist.
   */
  public Optional<Long> published(VersionedHead now, CommitId id, VersionedHead reserved)
      throws IOException, InterruptedException {
    if (reserved.isDropped(now.head())) {
      return Optional.empty();
    }
    Head head = now.head().orElseThrow();
    Optional<ActiveCommit> active = head.active(id);
    if (active.isPresent()) {
      return active
          .filter(commit -> commit.state() == CommitState.CLEANING)
          .map(ActiveCommit::version);
    }
    Head before = reserved.head().orElseThrow();
    long since = before.active(id).map(ActiveCommit::base).orElse(before.version());
    return ended(head, id, since).filter(commit -> !commit.reverted()).map(LoggedCommit::version);
  }
}
