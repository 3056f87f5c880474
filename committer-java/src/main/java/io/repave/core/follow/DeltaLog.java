package io.repave.core.follow;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.TableContext;
import io.repave.core.error.DeltaLogErrors;
import io.repave.core.error.FollowErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.listing.OrderedListing;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileEntry;
import io.repave.core.record.FileTotals;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerState;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.PartitionEntry;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.FileDifference;
import io.repave.core.snapshot.History;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The Delta log of a table: one file for each version, put if absent, in the order of the versions.
 * So the log never has a gap, nobody can move it back, and any process may write it.
 *
 * <p>Requests: 1 GET of the state and 1 PUT for the version of this commit. For each version that
 * is missing before it 1 GET and 1 PUT more, and then 1 LIST. For a rollback, those of two
 * snapshots; for files in an unnamed folder, those of one.
 */
final class DeltaLog {
  private final TableContext context;
  private final Head head;
  private final Follower follower;
  private final Optional<CommitManifest> own;
  private final FollowerStates states;

  /** {@code own} is a manifest that need not be read. */
  DeltaLog(TableContext context, Head head, Follower follower, Optional<CommitManifest> own) {
    this.context = context;
    this.head = head;
    this.follower = follower;
    this.own = own;
    this.states = new FollowerStates(context);
  }

  /** Writes what is missing up to the version of the head. */
  Follower follow() throws IOException, InterruptedException {
    boolean begins = follower.begins();
    if (follower.next() > head.version() && !begins) {
      return follower;
    }
    Optional<FollowerState> told = Optional.empty();
    if (follower.state().isEmpty() && own.isPresent()) {
      // First, because the manifests of a table whose files never tell their columns are very many.
      told = state(Optional.empty(), follower.from(), own.get());
      if (told.isEmpty()) {
        requireNoFiles(own.get());
        return follower;
      }
    }
    List<LoggedCommit> commits = new History(context).publishedSince(head, since(begins));
    Optional<FollowerState> known = known(commits, told);
    if (known.isEmpty()) {
      return follower;
    }
    FollowerState state = known.get();
    Map<String, Long> existing = begins || commits.size() > 1 ? existing() : Map.of();
    if (begins) {
      put(follower.from(), first(state, millis(commits.get(0))), existing);
    }
    for (LoggedCommit commit : commits) {
      if (commit.version() > follower.from()) {
        state = follow(commit, state, existing);
      }
    }
    return follower.at(head.version() + 1, state.version());
  }

  /** A log that begins in the middle also needs the time of the version that it begins with. */
  private long since(boolean begins) {
    return begins ? Math.max(0, follower.from() - 1) : follower.next() - 1;
  }

  /** Writes the file of one version; returns the state after it. */
  private FollowerState follow(
      LoggedCommit commit, FollowerState before, Map<String, Long> existing)
      throws IOException, InterruptedException {
    CommitManifest manifest = manifest(commit);
    FollowerState told = state(Optional.of(before), commit.version(), manifest).orElseThrow();
    FollowerState state =
        haveSameColumns(told, before) ? recorded(commit, manifest, before) : states.putNew(told);
    boolean changed = !haveSameColumns(state, before);
    DeltaVersion version = new DeltaVersion(commit.version(), millis(commit));
    version.commitInfo(follower, commit);
    if (changed) {
      version.metaData(follower, state, millis(commit));
    }
    FileSink removed =
        FollowedChange.read(
            (partition, file) -> version.remove(PartitionFolder.of(partition), file));
    FileSink added = adding(version, state);
    if (commit.kind() == CommitKind.ROLLBACK) {
      returned(commit, removed, added);
    } else {
      changed(manifest, removed, added);
    }
    put(commit.version(), version, existing);
    return state;
  }

  private static FileSink adding(DeltaVersion version, FollowerState state)
      throws InvalidRecordException {
    FileStatistics statistics = FileStatistics.of(state);
    return FollowedChange.read(
        (partition, file) -> version.add(PartitionFolder.of(partition), file, state, statistics));
  }

  private void changed(CommitManifest manifest, FileSink removed, FileSink added)
      throws IOException, InterruptedException {
    manifest.each(
        context,
        entries -> {
          for (PartitionEntry entry : entries) {
            for (FileEntry file : entry.out()) {
              removed.file(entry.partition(), file);
            }
            for (FileEntry file : entry.added()) {
              added.file(entry.partition(), file);
            }
          }
        });
  }

  /** A rollback names all files of its version; a stream reads those that are added once more. */
  private void returned(LoggedCommit commit, FileSink removed, FileSink added)
      throws IOException, InterruptedException {
    LiveFiles live = new LiveFiles(context);
    try (LiveFiles.Open before = live.all(head, commit.version() - 1);
        LiveFiles.Open after = live.all(head, commit.version())) {
      new FileDifference(before, after).run(removed, added);
    }
  }

  /** Otherwise readers would wait for the log without notice. */
  private void requireNoFiles(CommitManifest manifest) throws InvalidRecordException {
    FileTotals totals = manifest.index().totals();
    if (totals.filesIn() + totals.adopted() > 0) {
      throw DeltaLogErrors.noColumnsYet();
    }
  }

  /**
   * The recorded state, or the one that the first commits with files tell; {@code told} is what
   * this commit's do.
   */
  private Optional<FollowerState> known(List<LoggedCommit> commits, Optional<FollowerState> told)
      throws IOException, InterruptedException {
    if (follower.state().isPresent()) {
      return Optional.of(states.newest(follower));
    }
    for (LoggedCommit commit : commits) {
      Optional<FollowerState> first =
          told.isPresent() && isOwn(commit)
              ? told
              : state(Optional.empty(), follower.from(), manifest(commit));
      if (first.isPresent()) {
        return Optional.of(states.putNew(first.get()));
      }
    }
    return Optional.empty();
  }

  /** When a version was published, as the records tell it; version 0.1 recorded no time. */
  static long millis(LoggedCommit commit) {
    return commit.publishedMillis() > 0 ? commit.publishedMillis() : commit.id().startedMillis();
  }

  private CommitManifest manifest(LoggedCommit commit) throws IOException, InterruptedException {
    return new LiveFiles(context).manifest(commit, own);
  }

  private boolean isOwn(LoggedCommit commit) {
    return own.isPresent() && own.get().index().id().equals(commit.id());
  }

  /** What is known of the columns after a commit. The records of adopted files do not tell it. */
  private Optional<FollowerState> state(
      Optional<FollowerState> before, long version, CommitManifest manifest)
      throws IOException, InterruptedException {
    FollowedChange change = new FollowedChange(before);
    ColumnSamples unknown = new ColumnSamples(context);
    manifest.each(
        context,
        entries -> {
          for (PartitionEntry entry : entries) {
            for (FileEntry file : entry.added()) {
              change.file(entry.partition(), file);
            }
            for (FileEntry file : entry.adopted()) {
              unknown.file(entry.partition(), file);
            }
          }
        });
    if (before.isPresent() && change.isInUnnamedFolder()) {
      try (LiveFiles.Open live = new LiveFiles(context).all(head, version)) {
        live.each(change::live);
      }
    }
    unknown.tell(change);
    return change.state(follower, version);
  }

  /** The file with which the log begins: the columns, and the files that are live then. */
  private DeltaVersion first(FollowerState state, long millis)
      throws IOException, InterruptedException {
    DeltaVersion first = new DeltaVersion(follower.from(), millis);
    first.commitInfo(follower, null);
    first.protocol();
    first.metaData(follower, state, millis);
    if (follower.from() > 0) {
      try (LiveFiles.Open live = new LiveFiles(context).all(head, follower.from())) {
        live.each(adding(first, state));
      }
    }
    return first;
  }

  /** {@code existing} names files that other processes wrote, with their sizes. */
  private void put(long number, DeltaVersion version, Map<String, Long> existing)
      throws IOException, InterruptedException {
    byte[] content = version.bytes();
    Location at = context.paths().deltaLog().resolve(name(number));
    if (existing.getOrDefault(name(number), -1L) == content.length
        && context
            .records()
            .read(at, DeltaVersion.BYTES_MAX)
            .filter(it -> Arrays.equals(it, content))
            .isPresent()) {
      return;
    }
    if (own.isEmpty() && !follower.isIn(context.heads().read().head())) {
      // No unfinished commit keeps a process that syncs from writing after the end (rule 6).
      throw FollowErrors.ending(context.paths().root(), follower.kind().label());
    }
    Optional<byte[]> other = context.records().putNew(at, content, DeltaVersion.BYTES_MAX);
    if (other.isPresent() && !DeltaVersion.haveSameWriter(other.get(), content)) {
      throw DeltaLogErrors.otherLog(at);
    }
  }

  private static boolean haveSameColumns(FollowerState one, FollowerState other) {
    return one.schema().equals(other.schema())
        && one.partitionColumns().equals(other.partitionColumns())
        && one.bounded().equals(other.bounded());
  }

  /** The state that another process has put at an adoption that tells this one nothing new. */
  private FollowerState recorded(LoggedCommit commit, CommitManifest manifest, FollowerState before)
      throws IOException, InterruptedException {
    if (manifest.index().totals().adopted() == 0) {
      return before;
    }
    return states.find(follower, commit.version()).orElse(before);
  }

  /** The files of the log that are new since the last version that it surely has. */
  private Map<String, Long> existing() throws IOException, InterruptedException {
    Map<String, Long> files = new HashMap<>();
    Location folder = context.paths().deltaLog();
    String after =
        follower.next() > follower.from() ? folder.resolve(name(follower.next() - 1)).key() : "";
    new OrderedListing(context, folder)
        .eachAfter(
            after,
            object -> files.put(object.key().substring(folder.prefix().length()), object.bytes()));
    return files;
  }

  /** The file of a version; Delta counts from 0. */
  private String name(long version) {
    return String.format(Locale.ROOT, "%020d.json", version - follower.from());
  }
}
