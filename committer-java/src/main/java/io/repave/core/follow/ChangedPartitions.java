package io.repave.core.follow;

import io.repave.core.engine.TableContext;
import io.repave.core.error.FollowErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Follower;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.RecordNames;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.FileDifference;
import io.repave.core.snapshot.History;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Finds the partitions whose files changed between the version that a follower has and that of a
 * head.
 *
 * <p>Requests: 1 GET for each commit in between, except the caller's own, and those of a manifest's
 * shards. For a rollback, those of two snapshots.
 */
final class ChangedPartitions {
  /**
   * How the last commit that changed a partition changed it.
   *
   * @param fresh it wrote a file there, so no earlier list of the partition's files had this file
   * @param whole all live files of the partition, when the commit replaced them and names them
   */
  record Change(boolean fresh, Optional<List<String>> whole) {
    /** The files may be those of an earlier version again. */
    static final Change RETURNING = new Change(false, Optional.empty());
  }

  private final TableContext context;
  private final Follower follower;
  private final Optional<CommitManifest> own;
  private final SortedMap<String, Change> changes = new TreeMap<>(Utf8Order.KEYS);

  /** {@code own} is a manifest that need not be read. */
  ChangedPartitions(TableContext context, Follower follower, Optional<CommitManifest> own) {
    this.context = context;
    this.follower = follower;
    this.own = own;
  }

  /** The changes up to the version of a head, by partition. */
  SortedMap<String, Change> upTo(Head head) throws IOException, InterruptedException {
    changes.clear();
    if (follower.begins() && follower.from() > 0) {
      try (LiveFiles.Open live = new LiveFiles(context).all(head, follower.from())) {
        live.each((partition, file) -> returning(partition));
      }
    }
    long since = follower.begins() ? follower.from() : follower.next() - 1;
    for (LoggedCommit commit : new History(context).publishedSince(head, since)) {
      if (commit.kind() == CommitKind.ROLLBACK) {
        rollback(head, commit.version());
      } else {
        commit(head, commit);
      }
    }
    return new TreeMap<>(changes);
  }

  private void returning(String partition) throws InvalidRecordException {
    changes.put(inside(partition), Change.RETURNING);
  }

  private static String inside(String partition) throws InvalidRecordException {
    if (RecordNames.isOutside(partition)) {
      throw FollowErrors.outsideOfSymlinks(partition);
    }
    return partition;
  }

  /** A rollback names all files of its version; most partitions keep those that they have. */
  private void rollback(Head head, long version) throws IOException, InterruptedException {
    LiveFiles live = new LiveFiles(context);
    try (LiveFiles.Open before = live.all(head, version - 1);
        LiveFiles.Open after = live.all(head, version)) {
      new FileDifference(before, after)
          .run(
              (partition, file) -> returning(partition), (partition, file) -> returning(partition));
    }
  }

  private void commit(Head head, LoggedCommit commit) throws IOException, InterruptedException {
    CommitManifest manifest = new LiveFiles(context).manifest(commit, own);
    // Lists of files are kept in memory for one commit only, and only if one record holds it.
    boolean keeps = commit.version() == head.version() && manifest.index().shards().isEmpty();
    Footprint replaced = manifest.index().replaced();
    Map<String, Change> now = new TreeMap<>(Utf8Order.KEYS);
    manifest.each(
        context,
        entries -> {
          for (PartitionEntry entry : entries) {
            boolean whole = keeps && replaced.covers(entry.partition());
            now.merge(inside(entry.partition()), change(commit, entry, whole), this::both);
          }
        });
    changes.putAll(now);
  }

  private Change change(LoggedCommit commit, PartitionEntry entry, boolean whole) {
    List<String> names = entry.in().stream().map(FileEntry::name).toList();
    boolean wrote = commit.kind() != CommitKind.ADOPT && !names.isEmpty();
    return new Change(wrote, whole ? Optional.of(names) : Optional.empty());
  }

  /** Two entries of one commit may name the same partition. */
  private Change both(Change one, Change other) {
    boolean fresh = one.fresh() || other.fresh();
    if (one.whole().isEmpty()) {
      return new Change(fresh, Optional.empty());
    }
    List<String> names = new ArrayList<>(one.whole().get());
    names.addAll(other.whole().orElseThrow());
    return new Change(fresh, Optional.of(names));
  }
}
