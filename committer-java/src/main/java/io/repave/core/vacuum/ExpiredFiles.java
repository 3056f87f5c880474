package io.repave.core.vacuum;

import io.repave.core.engine.TableContext;
import io.repave.core.ledger.PartFileName;
import io.repave.core.listing.InnerTables;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the data files of a snapshot table that no kept version needs: files that were replaced
 * before the retention, and files of jobs that were never decided.
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
    Set<Location> live = new HashSet<>();
    Set<Location> gone = new HashSet<>();
    try (LiveFiles.Open files = new LiveFiles(context).all(head, oldest)) {
      files.each((partition, file) -> live.add(context.paths().file(partition, file.name())));
    }
    for (LoggedCommit commit : history) {
      // An earlier vacuum deleted the files that older commits replaced.
      if (commit.version() > head.vacuumedVersion()) {
        addChange(commit, oldest, live, gone);
      }
    }
    Set<String> unfinished = head.activeIds();
    InnerTables inner = new InnerTables(context);
    new OrphanFinder(context)
        .files(
            (at, bytes, modifiedMillis) -> {
              if (live.contains(at)) {
                return;
              }
              // A retired file belongs to no commit that could still be decided.
              Optional<String> commit =
                  gone.contains(at)
                      ? Optional.of("")
                      : commitOf(at).filter(id -> modifiedMillis < cutoffMillis);
              if (commit.isPresent() && !unfinished.contains(commit.get()) && !inner.contain(at)) {
                plan.add(new VacuumPlan.ExpiredFile(at, commit.get(), bytes));
              }
            });
    return oldest;
  }

  private void addChange(LoggedCommit commit, long oldest, Set<Location> live, Set<Location> gone)
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
    Set<Location> in = kept ? live : gone;
    manifest
        .get()
        .each(
            context,
            entries ->
                entries.forEach(
                    entry -> {
                      addAll(in, entry.partition(), entry.in());
                      addAll(in, entry.partition(), entry.adopted());
                      addAll(gone, entry.partition(), entry.out());
                    }));
  }

  private static Optional<String> commitOf(Location at) {
    return PartFileName.commitOf(at.key().substring(at.key().lastIndexOf('/') + 1));
  }

  private void addAll(Set<Location> to, String partition, List<FileEntry> files) {
    files.forEach(file -> to.add(context.paths().file(partition, file.name())));
  }

  /** The newest version that was already replaced at the start of the retention. */
  private long oldestKept(Head head, List<LoggedCommit> history)
      throws IOException, InterruptedException {
    PublicationTimes times = new PublicationTimes(context, cutoffMillis);
    long oldest = head.version();
    for (int i = history.size() - 1;
        i > 0 && times.isPublishedSince(head, history.get(i).id());
        i--) {
      oldest = history.get(i).version() - 1;
    }
    // A follower that lags still names the files of its version.
    return Math.max(Math.min(oldest, head.followedVersion()), head.oldestVersion());
  }
}
