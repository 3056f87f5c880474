package io.repave.core.snapshot;

import io.repave.core.engine.AllowedFolders;
import io.repave.core.engine.FileSink;
import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.error.UsageErrors;
import io.repave.core.ledger.PartFileName;
import io.repave.core.listing.InnerTables;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.CheckpointIndex;
import io.repave.core.record.CheckpointShard;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.RecordNames;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files of a listing table outside its folder, found when some of its records are lost. The
 * other records name the folders. If a lost record may have named others, the folders that the
 * operator allows are searched too. A folder that is not searched would lose its rows, so an
 * operator who allows none is asked.
 *
 * <p>Only commits put files there into the records, so other files are left out. A folder that is
 * only allowed may hold partitions of other tables. There a file has to be of a commit that this
 * table knows; otherwise the operator has to name the file's own folder.
 *
 * <p>Requests: 1 GET for each checkpoint shard that may name such a folder, 1 or 2 for each commit
 * since that checkpoint that may have written one; LISTs of the folders. Those of {@link
 * KnownCommits} if allowed folders are searched.
 */
final class OutsideFiles {
  /** The most folders that an error names. */
  private static final int NAMED_MOST = 10;

  private final TableContext context;
  private final Head head;
  private final OutsidePartitions partitions;

  /** Folders around those of commits of which no record names the folders themselves. */
  private final OutsidePartitions around;

  private final Set<String> commitsAround = ConcurrentHashMap.newKeySet();

  /** Folders that may belong to another table. */
  private final Set<String> foreign = ConcurrentHashMap.newKeySet();

  private volatile boolean known = true;

  private OutsideFiles(TableContext context, Head head) {
    this.context = context;
    this.head = head;
    this.partitions = new OutsidePartitions(context);
    this.around = new OutsidePartitions(context);
  }

  /** Those of a head's version. Throws when it is not known in which folders they are. */
  static OutsideFiles of(TableContext context, Head head) throws IOException, InterruptedException {
    OutsideFiles files = new OutsideFiles(context, head);
    context.runner().each(files.commits().iterator(), files::add);
    if (!files.known && context.settings().allowed().isEmpty()) {
      throw UsageErrors.outsideNotKnown(context.paths().root());
    }
    return files;
  }

  /** The commits since the newest checkpoint with files, whose partitions are added here. */
  private List<LoggedCommit> commits() throws IOException, InterruptedException {
    CheckpointChain chain = new CheckpointChain(context);
    try {
      CheckpointIndex checkpoint = chain.filesBefore(head, head.version());
      for (CheckpointShard shard : checkpoint.shards()) {
        if (Footprint.OUTSIDE.mayCoverBetween(shard.first(), shard.last())) {
          for (PartitionEntry entry : chain.entries(shard)) {
            partitions.add(entry.partition());
          }
        }
      }
      return new History(context).publishedSince(head, checkpoint.version());
    } catch (InvalidRecordException lost) {
      known = false;
      return head.publishedSince(0);
    }
  }

  private void add(LoggedCommit commit) throws IOException, InterruptedException {
    List<String> outline = commit.touched();
    boolean inside = !outline.isEmpty() && outline.stream().noneMatch(RecordNames::isOutside);
    if (inside || commit.kind() == CommitKind.ADOPT) {
      return;
    }
    Optional<Collection<String>> written = written(commit);
    if (written.isPresent()) {
      for (String folder : written.get()) {
        partitions.add(folder);
      }
      return;
    }
    commitsAround.add(commit.id().id());
    for (String folder : outline) {
      around.add(folder);
    }
    if (outline.isEmpty()) {
      known = false;
    }
  }

  /** The folders that a commit wrote; empty when neither of its records can be read. */
  private Optional<Collection<String>> written(LoggedCommit commit)
      throws IOException, InterruptedException {
    try {
      Optional<CommitManifest> manifest = CommitManifest.read(context, commit.id());
      if (manifest.isPresent()) {
        return Optional.of(manifest.get().index().touched());
      }
    } catch (InvalidRecordException damaged) {
      // The ledger names the same folders.
    }
    try {
      StoredLedger ledger = StoredLedger.open(context, commit.id(), commit.kind());
      return Optional.of(ledger.summary().partitions());
    } catch (InvalidRecordException lost) {
      return Optional.empty();
    }
  }

  /** The allowed folders outside the table if they have to be searched. */
  List<String> searched() {
    return known ? List.of() : new AllowedFolders(context).outside();
  }

  /** Passes on each file once. Throws when one may belong to another table. */
  void list(FileSink sink) throws IOException, InterruptedException {
    OutsidePartitions whole = new OutsidePartitions(context);
    Set<Location> ours = new HashSet<>(around.folders());
    for (Location folder : partitions.folders()) {
      whole.add(folder.toString());
      ours.add(folder);
    }
    for (String folder : searched()) {
      whole.add(folder);
      // An allowed folder may be a table itself, whose files are its own.
      ours.add(context.paths().folder(folder).parent());
    }
    FileSink files = new InnerTables(context).without(ours, onlyOwn(sink));
    list(
        whole,
        (partition, file) -> {
          if (isOfACommit(partition, file)) {
            files.file(partition, file);
          }
        });
    requireNoneForeign();
    list(
        around,
        (partition, file) -> {
          boolean wanted =
              PartFileName.commitOf(file.name()).filter(commitsAround::contains).isPresent();
          if (wanted && !whole.cover(context.paths().folder(partition))) {
            files.file(partition, file);
          }
        });
  }

  /**
   * Leaves out the files of commits that the table does not know, unless records or the operator
   * name the folder itself.
   */
  private FileSink onlyOwn(FileSink sink) throws IOException, InterruptedException {
    if (searched().isEmpty()) {
      return sink;
    }
    KnownCommits commits = KnownCommits.of(context, head);
    return (partition, file) -> {
      Location folder = context.paths().folder(partition);
      boolean named = partitions.cover(folder) || context.settings().allowed().contains(folder);
      if (named || PartFileName.commitOf(file.name()).filter(commits::contain).isPresent()) {
        sink.file(partition, file);
      } else if (foreign.size() < NAMED_MOST) {
        foreign.add(partition);
      }
    };
  }

  private void requireNoneForeign() throws InvalidConfigException {
    if (!foreign.isEmpty()) {
      List<String> some = foreign.stream().sorted().limit(NAMED_MOST).toList();
      throw UsageErrors.outsideOfUnknownCommits(context.paths().root(), some);
    }
  }

  private void list(OutsidePartitions folders, FileSink sink)
      throws IOException, InterruptedException {
    List<String> names = folders.outermost();
    if (!names.isEmpty()) {
      TouchedListing.ofAll(context).run(names, sink);
    }
  }

  /** An allowed folder may contain the table's own folder, or be a whole bucket. */
  private static boolean isOfACommit(String partition, FileEntry file) {
    return RecordNames.isOutside(partition)
        && !partition.endsWith("/")
        && PartFileName.commitOf(file.name()).isPresent();
  }
}
