package io.repave.core;

import io.repave.core.ledger.PartFileName;
import io.repave.core.record.CommitId;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.step.HeadStore;
import io.repave.core.step.Leftovers;
import io.repave.core.step.Planned;
import io.repave.core.step.Retirement;
import io.repave.core.step.Snapshot;
import io.repave.core.step.Snapshots;
import io.repave.core.step.StepContext;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Removes what is older than a retention and nobody needs. A commit that is not finished keeps all
 * that is its own, however old; so does a job younger than the retention. Nothing is removed that
 * does not carry a commit's id in its name, or stand in a manifest as gone.
 */
final class Vacuum {
  private final StepContext context;
  private final long cutoffMillis;

  Vacuum(StepContext context, long retentionMillis) {
    this.context = context;
    this.cutoffMillis = context.clock().wallMillis() - retentionMillis;
  }

  /** What {@link #run} would remove. */
  VacuumReport rehearse() throws IOException, InterruptedException {
    return report(find(context.heads().read().head()));
  }

  VacuumReport run() throws IOException, InterruptedException {
    HeadStore.Seen seen = context.heads().read();
    Garbage garbage = find(seen.head());
    if (seen.head().isPresent()) {
      // Before the files go, the head says that the versions which need them cannot be read.
      context.heads().update(seen, now -> now.flatMap(head -> raised(head, garbage.oldest)));
    }
    List<Location> keys = new ArrayList<>(garbage.files);
    keys.addAll(garbage.records);
    Retirement.deleteAll(context, keys, count -> {});
    new Leftovers(context).abort(garbage.uploads);
    return report(garbage);
  }

  private static Optional<Head> raised(Head head, long oldest) {
    return head.oldestVersion() >= oldest ? Optional.empty() : Optional.of(head.withOldest(oldest));
  }

  private static final class Garbage {
    private List<Leftovers.Upload> uploads = List.of();
    private final List<Location> files = new ArrayList<>();
    private final List<Location> records = new ArrayList<>();
    private long bytes;
    private long oldest;
  }

  private static VacuumReport report(Garbage garbage) {
    return new VacuumReport(
        garbage.uploads.size(),
        garbage.files.size(),
        garbage.bytes,
        garbage.records.size(),
        garbage.oldest);
  }

  private Garbage find(Optional<Head> head) throws IOException, InterruptedException {
    Garbage garbage = new Garbage();
    Set<String> kept = new HashSet<>();
    head.ifPresent(h -> h.active().forEach(commit -> kept.add(commit.id().id())));
    Leftovers leftovers = new Leftovers(context);
    garbage.uploads = leftovers.uploads(cutoffMillis, kept);
    List<LoggedCommit> history =
        head.isEmpty() ? List.of() : new Snapshots(context).publishedSince(head.get(), 0);
    history.forEach(commit -> kept.add(commit.id().id()));
    garbage.records.addAll(leftovers.records(cutoffMillis, kept));
    if (head.isPresent() && head.get().readers() == Readers.SNAPSHOT) {
      findFiles(head.get(), history, garbage);
    }
    return garbage;
  }

  private void findFiles(Head head, List<LoggedCommit> history, Garbage garbage)
      throws IOException, InterruptedException {
    garbage.oldest = oldestKept(head, history);
    Set<Location> live = new HashSet<>();
    Set<Location> gone = new HashSet<>();
    Set<String> unfinished = new HashSet<>();
    head.active().forEach(commit -> unfinished.add(commit.id().id()));
    Snapshot snapshot = new Snapshots(context).all(head, garbage.oldest);
    for (String partition : snapshot.partitions()) {
      addAll(live, partition, snapshot.files(partition));
    }
    for (LoggedCommit commit : history) {
      Optional<Planned> plan = Planned.read(context, commit.id());
      if (plan.isPresent()) {
        Set<Location> in = commit.version() > garbage.oldest ? live : gone;
        plan.get()
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
    }
    new Leftovers(context)
        .files(
            (at, bytes, modifiedMillis) -> {
              boolean retired = gone.contains(at) && !live.contains(at);
              boolean unpublished =
                  !gone.contains(at)
                      && !live.contains(at)
                      && modifiedMillis < cutoffMillis
                      && ofDeadJob(at, unfinished);
              if (retired || unpublished) {
                garbage.files.add(at);
                garbage.bytes += bytes;
              }
            });
  }

  private static boolean ofDeadJob(Location at, Set<String> unfinished) {
    String name = at.key().substring(at.key().lastIndexOf('/') + 1);
    return PartFileName.commitOf(name).filter(id -> !unfinished.contains(id)).isPresent();
  }

  private void addAll(Set<Location> to, String partition, List<FileEntry> files) {
    files.forEach(file -> to.add(context.paths().file(partition, file.name())));
  }

  /** The newest version that was already replaced when the retention began. */
  private long oldestKept(Head head, List<LoggedCommit> history) {
    long oldest = head.version();
    for (int i = history.size() - 1; i > 0; i--) {
      CommitId id = history.get(i).id();
      if (id.startedMillis() < cutoffMillis) {
        break;
      }
      oldest = history.get(i).version() - 1;
    }
    return Math.max(oldest, head.oldestVersion());
  }
}
