package io.repave.core.step;

import io.repave.core.error.InvalidConfig;
import io.repave.core.error.RecordRefused;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CheckpointIndex;
import io.repave.core.record.CheckpointJson;
import io.repave.core.record.CheckpointShard;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitState;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.ManifestIndex;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.RecordCodec;
import io.repave.core.store.Location;
import io.repave.core.store.StoredObject;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Works out snapshots: the newest checkpoint before a version, and the manifests since. What it
 * reads follows what is live, or, for some partitions, the shards that hold them.
 */
public final class Snapshots {
  private final StepContext context;

  public Snapshots(StepContext context) {
    this.context = context;
  }

  /** All live files at a version. */
  public Snapshot all(Head head, long version) throws IOException, InterruptedException {
    return at(head, version, partition -> true, shard -> true);
  }

  /** The live files, at a version, of the partitions that a footprint covers. */
  public Snapshot covered(Head head, long version, Footprint footprint)
      throws IOException, InterruptedException {
    if (footprint.isEmpty()) {
      return Snapshot.EMPTY;
    }
    return at(
        head, version, footprint::covers, shard -> footprint.meets(shard.first(), shard.last()));
  }

  /** All live files but those in some shards of the head's checkpoint. */
  Snapshot without(Head head, List<CheckpointShard> left) throws IOException, InterruptedException {
    return at(head, head.version(), partition -> true, shard -> !left.contains(shard));
  }

  /** The commits published after {@code since}, oldest first, however old. */
  public List<LoggedCommit> publishedSince(Head head, long since)
      throws IOException, InterruptedException {
    List<LoggedCommit> commits = new ArrayList<>(head.publishedSince(since));
    String name = head.checkpoint();
    long at = head.checkpointVersion();
    long oldest =
        commits.stream().mapToLong(LoggedCommit::version).min().orElse(head.version() + 1);
    while (oldest > since + 1 && !name.isEmpty()) {
      CheckpointIndex checkpoint = checkpoint(name, at);
      long before = oldest;
      checkpoint.commits().stream()
          .filter(commit -> commit.version() > since && commit.version() < before)
          .forEach(commits::add);
      oldest = Math.min(before, checkpoint.previousVersion() + 1);
      name = checkpoint.previous();
      at = checkpoint.previousVersion();
    }
    commits.sort(Comparator.comparingLong(LoggedCommit::version));
    return commits;
  }

  /**
   * How a commit ended: what the head's log says, or, since that log is bounded, the checkpoints
   * back to {@code since}. Empty when it was not published after that version: it is unfinished,
   * was never decided, or was reverted so long ago that the log forgot it.
   */
  Optional<LoggedCommit> ended(Head head, CommitId id, long since)
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
  boolean published(HeadStore.Seen now, CommitId id, HeadStore.Seen reserved)
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

  /**
   * The newest checkpoint that is not after a version; version 0 and no shards if there is none.
   */
  CheckpointIndex checkpointBefore(Head head, long version)
      throws IOException, InterruptedException {
    String name = head.checkpoint();
    long at = head.checkpointVersion();
    while (!name.isEmpty()) {
      CheckpointIndex checkpoint = checkpoint(name, at);
      if (at <= version) {
        return checkpoint;
      }
      name = checkpoint.previous();
      at = checkpoint.previousVersion();
    }
    return new CheckpointIndex(0, "", 0, List.of(), List.of());
  }

  /** The names of all checkpoints that a head leads to, and of their shards. */
  Set<String> checkpointRecords(Head head) throws IOException, InterruptedException {
    Set<String> names = new HashSet<>();
    String name = head.checkpoint();
    long at = head.checkpointVersion();
    while (!name.isEmpty()) {
      CheckpointIndex checkpoint = checkpoint(name, at);
      names.add(name);
      checkpoint.shards().forEach(shard -> names.add(shard.name()));
      name = checkpoint.previous();
      at = checkpoint.previousVersion();
    }
    return names;
  }

  private Snapshot at(
      Head head, long version, Predicate<String> wanted, Predicate<CheckpointShard> meets)
      throws IOException, InterruptedException {
    if (version < 0 || version > head.version()) {
      throw new InvalidConfig(
          "The table "
              + context.paths().root()
              + " has no version "
              + version
              + "; its newest is "
              + head.version()
              + ".");
    }
    CheckpointIndex checkpoint = checkpointBefore(head, version);
    SortedMap<String, List<FileEntry>> live = new TreeMap<>(Utf8Order.KEYS);
    for (CheckpointShard shard : checkpoint.shards()) {
      if (meets.test(shard)) {
        add(live, shardEntries(shard), wanted);
      }
    }
    for (LoggedCommit commit : publishedSince(head, checkpoint.version())) {
      if (commit.version() <= version) {
        apply(live, commit, wanted);
      }
    }
    return new Snapshot(version, live);
  }

  private void apply(
      SortedMap<String, List<FileEntry>> live, LoggedCommit commit, Predicate<String> wanted)
      throws IOException, InterruptedException {
    Planned plan = plan(commit);
    ManifestIndex index = plan.index();
    Footprint replaced = Footprint.replaced(index.kind(), index.touched(), index.scope());
    live.keySet().removeIf(replaced::covers);
    plan.each(
        context,
        entries -> {
          remove(live, entries);
          add(live, entries, wanted);
        });
  }

  /** The plan of a published commit, which must be there. */
  public Planned plan(LoggedCommit commit) throws IOException, InterruptedException {
    return Planned.read(context, commit.id())
        .orElseThrow(
            () ->
                new RecordRefused(
                    "The manifest of version "
                        + commit.version()
                        + ", "
                        + context.paths().manifest(commit.id())
                        + ", is missing; later versions cannot be worked out."));
  }

  private static void remove(
      SortedMap<String, List<FileEntry>> live, List<PartitionEntry> entries) {
    for (PartitionEntry entry : entries) {
      List<FileEntry> files = live.get(entry.partition());
      if (files == null || entry.out().isEmpty()) {
        continue;
      }
      Set<String> out = new HashSet<>();
      entry.out().forEach(file -> out.add(file.name()));
      files.removeIf(file -> out.contains(file.name()));
      if (files.isEmpty()) {
        live.remove(entry.partition());
      }
    }
  }

  private static void add(
      SortedMap<String, List<FileEntry>> live,
      List<PartitionEntry> entries,
      Predicate<String> wanted) {
    for (PartitionEntry entry : entries) {
      if (!wanted.test(entry.partition()) || entry.in().isEmpty() && entry.adopted().isEmpty()) {
        continue;
      }
      List<FileEntry> files =
          live.computeIfAbsent(entry.partition(), partition -> new ArrayList<>());
      // An adoption may find the files of a commit that is published only after it.
      Set<String> there = new HashSet<>();
      files.forEach(file -> there.add(file.name()));
      for (List<FileEntry> added : List.of(entry.adopted(), entry.in())) {
        added.stream().filter(file -> there.add(file.name())).forEach(files::add);
      }
    }
  }

  /** Versions only fall along the chain, or a reader of hostile checkpoints would never end. */
  private CheckpointIndex checkpoint(String name, long version)
      throws IOException, InterruptedException {
    Location at = context.paths().checkpoint(name);
    CheckpointIndex index = CheckpointJson.readIndex(fetch(at), at.toString());
    if (index.version() != version || index.previousVersion() >= version) {
      throw new RecordRefused(
          "The record "
              + at
              + " is of version "
              + index.version()
              + " and follows on version "
              + index.previousVersion()
              + ", where the checkpoint of version "
              + version
              + " belongs. Nothing was changed; restore it from the bucket's older versions.");
    }
    return index;
  }

  List<PartitionEntry> shardEntries(CheckpointShard shard)
      throws IOException, InterruptedException {
    Location at = context.paths().checkpoint(shard.name());
    return CheckpointJson.readShard(fetch(at), at.toString());
  }

  private byte[] fetch(Location at) throws IOException, InterruptedException {
    return context
        .retry()
        .known(() -> context.store().read(at, RecordCodec.BYTES_MAX))
        .map(StoredObject::content)
        .orElseThrow(() -> new RecordRefused("The record " + at + " is missing."));
  }
}
