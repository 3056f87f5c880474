package io.repave.core;

import io.repave.core.ledger.PartFileName;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.step.HeadStore;
import io.repave.core.step.InnerTables;
import io.repave.core.step.Leftovers;
import io.repave.core.step.Planned;
import io.repave.core.step.RefusedCommits;
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
      fence(seen, garbage);
    }
    List<Location> keys = new ArrayList<>();
    garbage.files.forEach(file -> keys.add(file.at()));
    garbage.records.forEach(record -> keys.add(record.at()));
    Retirement.deleteAll(context, keys, count -> {});
    new Leftovers(context).abort(garbage.uploads);
    return report(garbage);
  }

  /**
   * A job that looks dead may be slow: first it is marked, then the head is swapped, so that any
   * reservation prepared before the mark fails. Whoever was faster than the swap stays untouched.
   * The same swap says that versions which need the retired files cannot be read any more.
   */
  private void fence(HeadStore.Seen seen, Garbage garbage)
      throws IOException, InterruptedException {
    context.fan().each(garbage.commits().iterator(), new RefusedCommits(context)::add);
    Head head =
        context
            .heads()
            .update(seen, now -> now.map(it -> it.withOldest(garbage.oldestSince(it))))
            .head()
            .orElseThrow();
    Set<String> decided = new HashSet<>();
    head.active().forEach(commit -> decided.add(commit.id().id()));
    boolean rollback = head.active().stream().anyMatch(it -> it.kind() == CommitKind.ROLLBACK);
    for (LoggedCommit commit : publishedSince(head, seen)) {
      decided.add(commit.id().id());
      rollback |= commit.kind() == CommitKind.ROLLBACK;
    }
    garbage.leave(decided);
    if (rollback) {
      // It may have brought back what was retired.
      garbage.files.removeIf(file -> file.commit().isEmpty());
    }
  }

  private List<LoggedCommit> publishedSince(Head head, HeadStore.Seen seen)
      throws IOException, InterruptedException {
    return new Snapshots(context).publishedSince(head, seen.head().orElseThrow().version());
  }

  /** A data file that goes; {@code commit} is "" when it was published and is retired. */
  private record Unneeded(Location at, String commit, long bytes) {}

  private static final class Garbage {
    private List<Leftovers.Upload> uploads = List.of();
    private List<Leftovers.Entry> records = new ArrayList<>();
    private final List<Unneeded> files = new ArrayList<>();
    private final Set<String> published = new HashSet<>();
    private long oldest;

    private long oldestSince(Head head) {
      return Math.max(head.oldestVersion(), oldest);
    }

    /** Those that look dead: nothing says that they were ever decided. */
    private Set<String> commits() {
      Set<String> commits = new HashSet<>();
      files.forEach(file -> commits.add(file.commit()));
      records.forEach(record -> commits.add(record.commit()));
      uploads.forEach(upload -> commits.add(upload.commit()));
      commits.removeAll(published);
      commits.remove("");
      return commits;
    }

    private void leave(Set<String> decided) {
      files.removeIf(file -> decided.contains(file.commit()));
      records = records.stream().filter(it -> !decided.contains(it.commit())).toList();
      uploads = uploads.stream().filter(it -> !decided.contains(it.commit())).toList();
    }
  }

  private static VacuumReport report(Garbage garbage) {
    return new VacuumReport(
        garbage.uploads.size(),
        garbage.files.size(),
        garbage.files.stream().mapToLong(Unneeded::bytes).sum(),
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
    history.forEach(commit -> garbage.published.add(commit.id().id()));
    kept.addAll(garbage.published);
    if (head.isPresent()) {
      // Without a head there is nothing to fence with: a ledger may still be about to be reserved.
      garbage.records = leftovers.records(cutoffMillis, kept);
    }
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
    Snapshots snapshots = new Snapshots(context);
    Snapshot snapshot = snapshots.all(head, garbage.oldest);
    for (String partition : snapshot.partitions()) {
      addAll(live, partition, snapshot.files(partition));
    }
    for (LoggedCommit commit : history) {
      boolean kept = commit.version() > garbage.oldest;
      // Without the manifest of a version that is kept its files would pass for garbage.
      Optional<Planned> plan =
          kept ? Optional.of(snapshots.plan(commit)) : Planned.read(context, commit.id());
      if (plan.isPresent()) {
        Set<Location> in = kept ? live : gone;
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
    InnerTables inner = new InnerTables(context);
    new Leftovers(context)
        .files(
            (at, bytes, modifiedMillis) -> {
              if (live.contains(at)) {
                return;
              }
              // A retired file is of no commit that could still be decided.
              Optional<String> commit =
                  gone.contains(at)
                      ? Optional.of("")
                      : commitOf(at).filter(id -> modifiedMillis < cutoffMillis);
              if (commit.isPresent() && !unfinished.contains(commit.get()) && !inner.hold(at)) {
                garbage.files.add(new Unneeded(at, commit.get(), bytes));
              }
            });
  }

  private static Optional<String> commitOf(Location at) {
    return PartFileName.commitOf(at.key().substring(at.key().lastIndexOf('/') + 1));
  }

  private void addAll(Set<Location> to, String partition, List<FileEntry> files) {
    files.forEach(file -> to.add(context.paths().file(partition, file.name())));
  }

  /** The newest version that was already replaced when the retention began. */
  private long oldestKept(Head head, List<LoggedCommit> history)
      throws IOException, InterruptedException {
    long oldest = head.version();
    for (int i = history.size() - 1; i > 0 && isPublishedSince(head, history.get(i).id()); i--) {
      oldest = history.get(i).version() - 1;
    }
    return Math.max(oldest, head.oldestVersion());
  }

  /** A job may have begun long before: the report that it writes once it is published tells. */
  private boolean isPublishedSince(Head head, CommitId id)
      throws IOException, InterruptedException {
    if (id.startedMillis() >= cutoffMillis || head.active(id).isPresent()) {
      return true;
    }
    Location report = context.paths().report(id);
    return context
        .retry()
        .known(() -> context.store().head(report))
        .filter(object -> object.modifiedMillis() >= cutoffMillis)
        .isPresent();
  }
}
