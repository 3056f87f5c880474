package io.repave.core.vacuum;

import io.repave.core.engine.TableContext;
import io.repave.core.ledger.PartFileName;
import io.repave.core.listing.InnerTables;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.FileSorter;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds the data files of a snapshot table that no kept version needs: files that were replaced
 * before the retention, and files of jobs that were never decided.
 *
 * <p>The store lists the files in the order of their keys. So the files that the records name are
 * sorted by key, outside the heap, and one pass compares both.
 */
final class ExpiredFiles {
  private final TableContext context;
  private final long cutoffMillis;

  ExpiredFiles(TableContext context, long cutoffMillis) {
    this.context = context;
    this.cutoffMillis = cutoffMillis;
  }

  /** Adds these files to the plan; returns the oldest version that stays readable. */
  long find(Head head, List<LoggedCommit> history, VacuumPlan plan)
      throws IOException, InterruptedException {
    long oldest = oldestKept(head, history);
    plan.keepFrom(oldest);
    try (FileSorter live = new FileSorter(context);
        FileSorter gone = new FileSorter(context)) {
      try (LiveFiles.Open files = new LiveFiles(context).all(head, oldest)) {
        files.each((partition, file) -> add(live, partition, file));
      }
      // An earlier vacuum deleted the files that older commits replaced.
      Stream<LoggedCommit> changes =
          history.stream().filter(commit -> commit.version() > head.vacuumedVersion());
      context.runner().each(changes.iterator(), commit -> addChange(commit, oldest, live, gone));
      compare(new SortedPaths(live.files()), new SortedPaths(gone.files()), head, plan);
    }
    return oldest;
  }

  /** Compares the listed files with the recorded ones. Requests: LISTs of the whole table. */
  private void compare(SortedPaths live, SortedPaths gone, Head head, VacuumPlan plan)
      throws IOException, InterruptedException {
    Set<String> unfinished = head.activeIds();
    InnerTables inner = InnerTables.withAnyRecord(context);
    new OrphanFinder(context)
        .files(
            (at, bytes, modifiedMillis) -> {
              String path = context.paths().root().relative(at);
              if (live.reach(path)) {
                return;
              }
              // A replaced file belongs to no commit that could still be decided.
              Optional<String> commit =
                  gone.reach(path)
                      ? Optional.of("")
                      : commitOf(at)
                          .filter(id -> modifiedMillis < cutoffMillis)
                          .filter(id -> isInOwnFolder(at, live, gone));
              if (commit.isPresent() && !unfinished.contains(commit.get()) && !inner.contain(at)) {
                plan.add(commit.get(), path, bytes);
              }
            });
  }

  private void addChange(LoggedCommit commit, long oldest, FileSorter live, FileSorter gone)
      throws IOException, InterruptedException {
    boolean kept = commit.version() > oldest;
    // Without the manifest of a kept version, its files would look like orphans.
    Optional<CommitManifest> manifest =
        kept
            ? Optional.of(new LiveFiles(context).manifest(commit))
            : CommitManifest.read(context, commit.id());
    if (manifest.isEmpty()) {
      return;
    }
    FileSorter in = kept ? live : gone;
    manifest
        .get()
        .each(
            context,
            entries -> {
              for (PartitionEntry entry : entries) {
                addAll(in, entry.partition(), entry.in());
                addAll(in, entry.partition(), entry.adopted());
                addAll(gone, entry.partition(), entry.out());
              }
            });
  }

  /**
   * False for a folder that may be a former table, whose owner deleted its records, or a copy of
   * one: it is not named {@code key=value}, and no record of this table names a file in it. Its
   * files would look like orphans of this table.
   */
  private boolean isInOwnFolder(Location file, SortedPaths live, SortedPaths gone) {
    Location above = file.parent();
    Location partition = PartFileName.isFolder(above.name()) ? above.parent() : above;
    Location folder = TablePaths.of(partition).root();
    Location root = context.paths().root();
    if (!root.holds(folder)) {
      return true;
    }
    String path = root.relative(folder) + "/";
    return live.haveIn(path) || gone.haveIn(path);
  }

  private static Optional<String> commitOf(Location at) {
    return PartFileName.commitOf(at.name());
  }

  private void addAll(FileSorter to, String partition, List<FileEntry> files)
      throws IOException, InterruptedException {
    for (FileEntry file : files) {
      add(to, partition, file);
    }
  }

  /** Files outside the table's folder are not listed, so nothing compares them. */
  private void add(FileSorter to, String partition, FileEntry file)
      throws IOException, InterruptedException {
    Location at = context.paths().file(partition, file.name());
    if (context.paths().root().holds(at)) {
      to.add("", new FileEntry(context.paths().root().relative(at), file.bytes()));
    }
  }

  /** The newest version that was already replaced at the start of the retention. */
  private long oldestKept(Head head, List<LoggedCommit> history)
      throws IOException, InterruptedException {
    PublicationTimes times = new PublicationTimes(context, cutoffMillis);
    long oldest = head.version();
    for (int i = history.size() - 1; i > 0 && times.isPublishedSince(head, history.get(i)); i--) {
      oldest = history.get(i).version() - 1;
    }
    // A follower that lags still names the files of its version.
    return Math.max(Math.min(oldest, head.followedVersion()), head.oldestVersion());
  }
}
