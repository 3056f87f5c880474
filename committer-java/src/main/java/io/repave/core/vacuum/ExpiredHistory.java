package io.repave.core.vacuum;

import io.repave.core.engine.HeadStore;
import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Follower;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.CheckpointWriter;
import io.repave.core.snapshot.LiveFiles;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The published commits whose records can be deleted: they were published before the history
 * retention, and neither a readable version nor an unfinished commit needs them. An unfinished
 * commit needs the commits published since its base.
 */
final class ExpiredHistory {
  private final TableContext context;
  private final List<LoggedCommit> commits;
  private final Set<String> ids;
  private final Set<String> keptTokens;
  private final long from;
  private final boolean unrecorded;
  private Optional<CheckpointWriter.Written> written = Optional.empty();
  private Head writtenAt;

  private ExpiredHistory(
      TableContext context, List<LoggedCommit> history, long from, boolean unrecorded) {
    this.context = context;
    this.commits = history.stream().filter(commit -> commit.version() < from).toList();
    this.ids = commits.stream().map(commit -> commit.id().id()).collect(Collectors.toSet());
    this.keptTokens =
        history.stream()
            .filter(commit -> commit.version() >= from)
            .map(LoggedCommit::token)
            .collect(Collectors.toSet());
    this.from = from;
    this.unrecorded = unrecorded;
  }

  /** {@code oldest} is the oldest version that stays readable. */
  static ExpiredHistory find(
      TableContext context, long cutoffMillis, Head head, PublishedCommits published, long oldest)
      throws IOException, InterruptedException {
    List<LoggedCommit> history = published.commits();
    if (!published.areAll()) {
      return new ExpiredHistory(context, history, head.historyFrom(), false);
    }
    long young = new PublicationTimes(context, cutoffMillis).firstSince(head, history);
    long wanted = Math.max(head.historyFrom(), Math.min(young, neededFrom(head)));
    long recorded = new LiveFiles(context).recordedAt(head, oldest);
    boolean unrecorded = recorded < wanted && wanted > head.historyFrom();
    if (unrecorded && head.readers() == Readers.SNAPSHOT) {
      long from = Math.max(head.historyFrom(), recorded);
      return new ExpiredHistory(context, history, from, false);
    }
    return new ExpiredHistory(context, history, wanted, unrecorded);
  }

  /** The first version that the unfinished commits, and followers that lag, still need. */
  private static long neededFrom(Head head) {
    boolean beginning = head.followers().stream().anyMatch(ExpiredHistory::needsFiles);
    if (beginning || head.active().stream().anyMatch(ExpiredHistory::needsAll)) {
      return 0;
    }
    long followed = head.followers().isEmpty() ? head.version() : head.followedVersion();
    return head.active().stream()
        .mapToLong(ActiveCommit::base)
        .map(base -> Math.min(base + 1, followed))
        .min()
        .orElse(followed);
  }

  /** A follower in the table's folder begins with all files of its first version. */
  private static boolean needsFiles(Follower follower) {
    return follower.begins() && !follower.ending() && !follower.kind().isCatalog();
  }

  /** An adoption that is not planned yet reads the records of all live files. */
  private static boolean needsAll(ActiveCommit commit) {
    return commit.kind() == CommitKind.ADOPT && commit.state() == CommitState.PENDING;
  }

  /** The ids of these commits. */
  Set<String> ids() {
    return ids;
  }

  /**
   * The records of these commits' tokens. An operator may have ended one of them as it was, and
   * then a later commit has its token.
   */
  List<OrphanFinder.OrphanRecord> tokens() {
    return commits.stream()
        .filter(commit -> !commit.token().isEmpty() && !keptTokens.contains(commit.token()))
        .map(it -> new OrphanFinder.OrphanRecord(context.paths().token(it.token()), it.id().id()))
        .toList();
  }

  /**
   * Writes a checkpoint with the files of a listing table, when only the records to be deleted name
   * them. Called again with a later head, it goes on from the checkpoint that it wrote. Requests: 1
   * GET per commit since the last such checkpoint, 1 PUT per 10,000 changed files; again: 1 GET per
   * commit since then, 1 GET and 1 PUT per 10,000 files. If the process dies here: the history is
   * unchanged.
   */
  void writeFiles(Head head) throws IOException, InterruptedException {
    if (!unrecorded) {
      return;
    }
    CheckpointWriter writer = new CheckpointWriter(context);
    try {
      written =
          Optional.of(
              written.isEmpty() ? writer.withFiles(head) : writer.withFiles(head, written.get()));
      writtenAt = head;
    } catch (InvalidRecordException lost) {
      // The history stays until `repave repair` rebuilds the records.
      written = Optional.empty();
      context.ports().progress().noCheckpoint(lost.getMessage());
    }
  }

  /** True when only a checkpoint that was written meanwhile keeps this history from its end. */
  boolean isOvertakenIn(Head head) {
    return written.isPresent() && canEndIn(head) && !head.hasCheckpointOf(writtenAt);
  }

  private boolean canEndIn(Head head) {
    return !isAppliedIn(head) && neededFrom(head) >= from;
  }

  /** The head without this history; the same head when the history is still needed. */
  Head applied(Head head) {
    boolean named = !unrecorded || written.isPresent() && head.hasCheckpointOf(writtenAt);
    if (!named || !canEndIn(head)) {
      return head;
    }
    Head.Draft next = head.change().historyFrom(from);
    return written.map(it -> next.checkpoint(it.index().version(), it.name())).orElse(next).done();
  }

  /** True when the current head no longer needs these commits. */
  boolean isAppliedIn(Head head) {
    return head.historyFrom() >= from;
  }

  /**
   * True when this change of the head ended the history. When another vacuum has, it deletes the
   * tokens, and since then a new commit may have used one again.
   */
  boolean isEndedBy(HeadStore.Changed change) {
    return change.before().filter(before -> !isAppliedIn(before)).isPresent()
        && change.now().head().filter(this::isAppliedIn).isPresent();
  }
}
