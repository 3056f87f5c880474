package io.repave.core.vacuum;

import io.repave.core.conflict.CancelledCommits;
import io.repave.core.engine.FileDeletion;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitConflictException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.History;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Removes what is older than a retention and nobody needs. A commit that is not finished keeps all
 * that is its own, however old; so does a job younger than the retention. Nothing is removed that
 * does not carry a commit's id in its name, stand in a manifest as gone, or lie among the records.
 */
public final class Vacuum {
  private final TableContext context;
  private final long cutoffMillis;
  private final long historyCutoffMillis;

  public Vacuum(TableContext context, long retentionMillis) {
    this.context = context;
    long now = context.clock().wallMillis();
    this.cutoffMillis = now - retentionMillis;
    this.historyCutoffMillis =
        now - Math.max(retentionMillis, context.settings().historyRetentionMillis());
  }

  /** What {@link #run} would remove. */
  public VacuumReport rehearse() throws IOException, InterruptedException {
    return find(context.heads().read().head()).report();
  }

  public VacuumReport run() throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    VacuumPlan garbage = find(seen.head());
    if (seen.head().isPresent()) {
      garbage.writeFiles();
      fence(seen, garbage);
    }
    FileDeletion.deleteAll(context, garbage.keys(), count -> {});
    new OrphanFinder(context).abort(garbage.uploads());
    if (garbage.retiredUpTo() > 0) {
      remember(garbage);
    }
    return garbage.report();
  }

  private VacuumPlan find(Optional<Head> head) throws IOException, InterruptedException {
    OrphanFinder leftovers = new OrphanFinder(context);
    Set<String> unfinished = head.map(Head::activeIds).orElse(Set.of());
    List<OrphanFinder.Upload> uploads = leftovers.uploads(cutoffMillis, unfinished);
    if (head.isEmpty()) {
      // There is nothing to fence with: a ledger may still be about to be reserved.
      return new VacuumPlan(Set.of(), uploads);
    }
    List<LoggedCommit> history = new History(context).known(head.get());
    VacuumPlan garbage = new VacuumPlan(ids(history), uploads);
    garbage.add(leftovers.checkpoints(head.get()));
    long oldest = head.get().version();
    if (head.get().readers() == Readers.SNAPSHOT) {
      oldest = new ExpiredFiles(context, cutoffMillis).find(head.get(), history, garbage);
    }
    ExpiredHistory expired =
        ExpiredHistory.find(context, historyCutoffMillis, head.get(), history, oldest);
    garbage.expire(expired);
    garbage.add(expired.tokens());
    garbage.add(leftovers.records(cutoffMillis, unfinished, ids(history), ids(expired.commits())));
    return garbage;
  }

  private static Set<String> ids(List<LoggedCommit> commits) {
    return commits.stream().map(commit -> commit.id().id()).collect(Collectors.toSet());
  }

  /**
   * A job that looks dead may be slow: first it is marked, then the head is swapped, so that any
   * reservation prepared before the mark fails. Whoever was faster than the swap stays untouched.
   * The same swap says that versions which need the retired files cannot be read any more.
   */
  private void fence(VersionedHead seen, VacuumPlan garbage)
      throws IOException, InterruptedException {
    context.runner().each(garbage.commits().iterator(), new CancelledCommits(context)::add);
    Optional<Head> swapped =
        context
            .heads()
            .update(
                seen, now -> now.filter(it -> !seen.isDropped(now)).map(it -> fenced(it, garbage)))
            .head();
    if (seen.isDropped(swapped)) {
      throw dropped();
    }
    Head head = swapped.orElseThrow();
    Set<String> decided = new HashSet<>(head.activeIds());
    boolean rollback = head.active().stream().anyMatch(it -> it.kind() == CommitKind.ROLLBACK);
    long since = seen.head().orElseThrow().version();
    for (LoggedCommit commit : new History(context).publishedSince(head, since)) {
      decided.add(commit.id().id());
      rollback |= commit.kind() == CommitKind.ROLLBACK;
    }
    garbage.leave(decided);
    garbage.leaveUnlessExpired(head);
    if (rollback) {
      garbage.leaveRetired();
    }
  }

  private Head fenced(Head head, VacuumPlan garbage) {
    return garbage
        .expired(head)
        .change()
        .oldestVersion(garbage.oldestSince(head))
        .fence(context.ports().nonces().get())
        .done();
  }

  /** What was replaced up to a version is gone: the next vacuum need not look for it. */
  private void remember(VacuumPlan garbage) throws IOException, InterruptedException {
    long gone = garbage.retiredUpTo();
    context
        .heads()
        .update(
            context.heads().read(),
            now ->
                now.filter(it -> it.vacuumedVersion() < gone && gone <= it.oldestVersion())
                    .map(it -> it.change().vacuumedVersion(gone).done()));
  }

  private CommitConflictException dropped() {
    return new CommitConflictException(
        context.dropped("while this vacuum looked at it") + " Nothing was removed; run it again.");
  }
}
