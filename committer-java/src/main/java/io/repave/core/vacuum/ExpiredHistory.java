package io.repave.core.vacuum;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.CheckpointWriter;
import io.repave.core.snapshot.LiveFiles;
import java.io.IOException;
import java.util.List;

/**
 * The published commits whose records may go: published before the history's retention, and not
 * needed for a readable version, nor by an unfinished commit, which asks what was published since
 * its base.
 */
final class ExpiredHistory {
  private final TableContext context;
  private final Head seen;
  private final List<LoggedCommit> commits;
  private final long from;
  private final boolean unrecorded;
  private String checkpoint = "";

  private ExpiredHistory(
      TableContext context, Head seen, List<LoggedCommit> history, long from, boolean unrecorded) {
    this.context = context;
    this.seen = seen;
    this.commits = history.stream().filter(commit -> commit.version() < from).toList();
    this.from = from;
    this.unrecorded = unrecorded;
  }

  /** {@code oldest}: the oldest version that stays readable. */
  static ExpiredHistory find(
      TableContext context, long cutoffMillis, Head head, List<LoggedCommit> history, long oldest)
      throws IOException, InterruptedException {
    long young = new PublicationTimes(context, cutoffMillis).firstSince(head, history);
    long wanted = Math.max(head.historyFrom(), Math.min(young, asked(head)));
    long recorded = new LiveFiles(context).recordedAt(head, oldest);
    boolean unrecorded = recorded < wanted && wanted > head.historyFrom();
    if (unrecorded && head.readers() == Readers.SNAPSHOT) {
      long from = Math.max(head.historyFrom(), recorded);
      return new ExpiredHistory(context, head, history, from, false);
    }
    return new ExpiredHistory(context, head, history, wanted, unrecorded);
  }

  /** The version that the unfinished commits still ask for. */
  private static long asked(Head head) {
    return head.active().stream()
        .mapToLong(ActiveCommit::base)
        .map(base -> base + 1)
        .min()
        .orElse(head.version());
  }

  List<LoggedCommit> commits() {
    return commits;
  }

  /** The records of their tokens. */
  List<OrphanFinder.Entry> tokens() {
    return commits.stream()
        .filter(commit -> !commit.token().isEmpty())
        .map(it -> new OrphanFinder.Entry(context.paths().token(it.token()), it.id().id()))
        .toList();
  }

  /**
   * Writes down the files of a table that is read by listing, when only the records that are to go
   * name them: 1 GET for each commit since the last time, 1 PUT for 10,000 changed files. If we die
   * here: the history is as it was.
   */
  void writeFiles() throws IOException, InterruptedException {
    if (unrecorded) {
      try {
        checkpoint = new CheckpointWriter(context).writeFiles(seen);
      } catch (InvalidRecordException lost) {
        // The history stays until `repair` begins it anew.
        context.ports().progress().noCheckpoint(lost.getMessage());
      }
    }
  }

  /** What the next head says; the same head when it does not allow that. */
  Head applied(Head head) {
    boolean named = !unrecorded || !checkpoint.isEmpty();
    boolean replaced = !head.hasCheckpointOf(seen);
    if (!named || unrecorded && replaced || asked(head) < from || head.historyFrom() >= from) {
      return head;
    }
    Head.Draft next = head.change().historyFrom(from);
    return (unrecorded ? next.checkpoint(seen.version(), checkpoint) : next).done();
  }

  /** True when a head that is in force says that the commits are not asked for any more. */
  boolean isAppliedIn(Head head) {
    return head.historyFrom() >= from;
  }
}
