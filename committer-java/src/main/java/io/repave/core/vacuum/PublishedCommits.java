package io.repave.core.vacuum;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.listing.OrderedListing;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.History;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The published commits of a table, as far back as a vacuum needs them.
 *
 * <p>The history of a snapshot table has a checkpoint for every 5 to 20 versions, and only all of
 * them lead to its begin. So a vacuum reads back to the one before, and leaves older records alone.
 * It reads everything in two cases: when the history can end at a later version, which is at most
 * once in a tenth of the history retention, and when it finds a commit that may be older. The
 * history of a listing table is always read: it has a checkpoint for 500 commits.
 *
 * <p>Requests: 1 GET for each checkpoint; 1 LIST unless all are read anyway.
 */
final class PublishedCommits {
  /** The part of the history retention by which records may outlive it. */
  private static final int PART = 10;

  private final TableContext context;
  private final Head head;
  private final History.Recorded recorded;
  private final long since;
  private Set<String> ids;
  private boolean searched;

  private PublishedCommits(TableContext context, Head head, long since)
      throws IOException, InterruptedException {
    this.context = context;
    this.head = head;
    this.since = since;
    this.recorded = new History(context).recordedSince(head, since);
    this.ids = ids(recorded);
    this.searched = since == begin(head);
  }

  static PublishedCommits read(TableContext context, long historyCutoffMillis, Head head)
      throws IOException, InterruptedException {
    // The last vacuum looked at what is older than the versions that it kept.
    long last = Math.max(begin(head), head.vacuumedVersion() - 1);
    boolean all = last == begin(head) || hasExpired(context, historyCutoffMillis);
    return new PublishedCommits(context, head, all ? begin(head) : last);
  }

  private static long begin(Head head) {
    return Math.max(0, head.historyFrom() - 1);
  }

  /** True when the oldest commit is older than the history retention, and not only just. */
  private static boolean hasExpired(TableContext context, long historyCutoffMillis)
      throws IOException, InterruptedException {
    Location commits = context.paths().commits();
    Optional<ListedObject> oldest = new OrderedListing(context, commits).first();
    long retention = context.clock().wallMillis() - historyCutoffMillis;
    return oldest.isEmpty()
        || startedMillis(commits, oldest.get()) < historyCutoffMillis - retention / PART;
  }

  private static long startedMillis(Location commits, ListedObject object) {
    String path = commits.relative(new Location(commits.bucket(), object.key()));
    try {
      return CommitId.parse(path.substring(0, Math.max(0, path.indexOf('/')))).startedMillis();
    } catch (InvalidRecordException foreign) {
      return Long.MIN_VALUE;
    }
  }

  private static Set<String> ids(History.Recorded recorded) {
    return recorded.commits().stream().map(it -> it.id().id()).collect(Collectors.toSet());
  }

  /** The commits that were read, oldest first. */
  List<LoggedCommit> commits() {
    return recorded.commits();
  }

  /** True when these are all commits of the history. */
  boolean areAll() {
    return since == begin(head);
  }

  boolean contain(String id) throws IOException, InterruptedException {
    return without(Set.of(id)).isEmpty();
  }

  /** Those of some ids that are not published. Looks into the whole history before it says so. */
  Set<String> without(Set<String> some) throws IOException, InterruptedException {
    Set<String> others = new HashSet<>(some);
    others.removeAll(ids);
    if (!others.isEmpty() && !searched) {
      ids = ids(new History(context).recordedSince(head, begin(head)));
      searched = true;
      others.removeAll(ids);
    }
    return others;
  }

  /** The names of the checkpoints that were read, and of their shards. */
  Set<String> checkpoints() {
    return recorded.checkpoints();
  }

  /** The key after which checkpoints follow that are in the chain only if they were read. */
  String firstCheckpoint(Location checkpoints) {
    return recorded.checkpointsFrom() == 0
        ? ""
        : checkpoints.prefix() + String.format(Locale.ROOT, "%012d", recorded.checkpointsFrom());
  }

  /**
   * The key after which the records of commits follow that are published only if they were read.
   */
  String firstFolder(Location commits) {
    long published = recorded.commits().isEmpty() ? 0 : commits().get(0).publishedMillis();
    return areAll() || published == 0 ? "" : commits.prefix() + CommitId.folderSince(published);
  }
}
