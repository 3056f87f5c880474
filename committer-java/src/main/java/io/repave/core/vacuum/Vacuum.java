package io.repave.core.vacuum;

import io.repave.core.conflict.CancelledCommits;
import io.repave.core.engine.HeadStore;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.ConflictErrors;
import io.repave.core.error.UsageErrors;
import io.repave.core.listing.DeletedHead;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.History;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Deletes what is older than a retention and no longer needed. It keeps everything of an unfinished
 * commit, however old, and of a job younger than the retention. It deletes only files that carry a
 * commit's id in their name, files that a manifest names as removed, and records.
 *
 * <p>Requests: 1 HEAD, LISTs of the table and its open uploads, GETs of records, 1 PUT per
 * cancelled commit, and bulk deletes. 1 PUT If-Match, and a second one if replaced files or history
 * go. Readers see: the same rows; old versions become unreadable. If the process dies here: the
 * next vacuum deletes the rest. It finds replaced files by their manifests, so the history ends
 * after they are deleted.
 */
public final class Vacuum {
  /** How often jobs may write a checkpoint before the vacuum's own is in the head. */
  private static final int OVERTAKEN_MOST = 10;

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

  /** Reports what {@link #run} would delete, and changes nothing. */
  public VacuumReport dryRun() throws IOException, InterruptedException {
    try (VacuumPlan plan = new VacuumPlan(context)) {
      Optional<Head> head = context.heads().read().head();
      find(head, plan);
      if (head.filter(Vacuum::hasRollback).isPresent()) {
        plan.keepFiles();
      }
      return plan.report();
    }
  }

  public VacuumReport run() throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    try (VacuumPlan plan = new VacuumPlan(context)) {
      find(seen.head(), plan);
      Optional<VersionedHead> fenced =
          seen.head().isPresent() ? Optional.of(fence(seen, plan)) : Optional.empty();
      plan.delete();
      abortUploads(plan.commitsOfUploads());
      if (fenced.isPresent()) {
        endHistory(fenced.get(), plan);
      }
      return plan.report();
    }
  }

  /** Lists the uploads again, because a dead job may have left more than the heap can hold. */
  private void abortUploads(Set<String> commits) throws IOException, InterruptedException {
    if (!commits.isEmpty()) {
      new OrphanFinder(context).abortUploads(cutoffMillis, commits);
    }
  }

  private void find(Optional<Head> head, VacuumPlan plan) throws IOException, InterruptedException {
    OrphanFinder orphans = new OrphanFinder(context);
    if (head.isEmpty()) {
      findWithoutHead(orphans, plan);
      return;
    }
    new ClockCheck(context).run();
    Set<String> unfinished = head.get().activeIds();
    orphans.uploads(cutoffMillis, commit -> !unfinished.contains(commit), plan::abort);
    PublishedCommits published = PublishedCommits.read(context, historyCutoffMillis, head.get());
    plan.published(published);
    plan.add(orphans.checkpoints(head.get(), published));
    long oldest = head.get().version();
    if (head.get().readers() == Readers.SNAPSHOT && oldest > 0) {
      // Before the first version, an adoption may be about to name any file of the folder.
      oldest = new ExpiredFiles(context, cutoffMillis).find(head.get(), published.commits(), plan);
    }
    ExpiredHistory expired =
        ExpiredHistory.find(context, historyCutoffMillis, head.get(), published, oldest);
    plan.expire(expired);
    plan.add(expired.tokens());
    plan.add(orphans.records(cutoffMillis, unfinished, published, expired.ids()));
    plan.add(orphans.jobs(cutoffMillis, unfinished));
  }

  /**
   * An upload in a folder without a head may belong to a decided commit of another table that has a
   * partition there. So only the folder's own records tell whose uploads can be aborted. Records
   * other than messages of tasks stay, because without a head there is no fence: their commit may
   * still be reserved. If the head was deleted, unfinished commits of the table may be decided, and
   * the head may come back: then nothing is touched.
   */
  private void findWithoutHead(OrphanFinder orphans, VacuumPlan plan)
      throws IOException, InterruptedException {
    new DeletedHead(context).requireNone();
    HeadlessRecords own = HeadlessRecords.list(context, cutoffMillis);
    if (!own.areThere()) {
      throw UsageErrors.noTableToVacuum(context.paths().root());
    }
    orphans.uploads(
        cutoffMillis, commit -> commit.isEmpty() || own.commits().contains(commit), plan::abort);
    plan.add(own.messages());
  }

  /**
   * A job that looks dead may only be slow. So vacuum first writes a cancellation mark, then swaps
   * the head; any reservation prepared before the mark then fails. A commit that was reserved
   * before the swap is kept. The same swap records that versions which need the replaced files are
   * unreadable.
   */
  private VersionedHead fence(VersionedHead seen, VacuumPlan plan)
      throws IOException, InterruptedException {
    Set<String> undecided = plan.commits();
    context.runner().each(undecided.iterator(), new CancelledCommits(context)::add);
    VersionedHead swapped =
        context
            .heads()
            .update(seen, now -> now.filter(it -> isLater(seen, now)).map(it -> fenced(it, plan)));
    if (seen.isDropped(swapped.head())) {
      throw ConflictErrors.droppedDuringVacuum(context.paths().root());
    }
    if (seen.isSetBack(swapped.head())) {
      // What the plan calls replaced may be live in a version of that head.
      throw ConflictErrors.setBackDuringVacuum(context.paths().head());
    }
    Head head = swapped.head().orElseThrow();
    Set<String> decided = new HashSet<>(head.activeIds());
    boolean rollback = hasRollback(head);
    long since = seen.head().orElseThrow().version();
    for (LoggedCommit commit : new History(context).publishedSince(head, since)) {
      decided.add(commit.id().id());
      rollback |= commit.kind() == CommitKind.ROLLBACK;
    }
    plan.keep(decided);
    if (rollback) {
      plan.keepFiles();
    }
    return swapped;
  }

  /** True when a head has the versions of an earlier one. */
  private static boolean isLater(VersionedHead seen, Optional<Head> now) {
    return !seen.isDropped(now) && !seen.isSetBack(now);
  }

  /** True when an unfinished rollback may restore files. */
  private static boolean hasRollback(Head head) {
    return head.active().stream().anyMatch(it -> it.kind() == CommitKind.ROLLBACK);
  }

  private Head fenced(Head head, VacuumPlan plan) {
    return head.change()
        .oldestVersion(plan.oldestSince(head))
        .fence(context.ports().nonces().get())
        .done();
  }

  /**
   * Records up to which version replaced files are deleted, so that the next vacuum skips them, and
   * where the history begins. Then it deletes the records of the history that ended.
   */
  private void endHistory(VersionedHead fenced, VacuumPlan plan)
      throws IOException, InterruptedException {
    HeadStore.Changed ended = end(fenced, fenced, plan);
    for (int times = 1; isOvertaken(fenced, ended, plan); times++) {
      if (times == OVERTAKEN_MOST) {
        context.ports().progress().noCheckpoint(ConflictErrors.overtaken(OVERTAKEN_MOST));
        break;
      }
      ended = end(fenced, ended.now(), plan);
    }
    Optional<Head> now = ended.now().head();
    if (fenced.isDropped(now)) {
      return;
    }
    if (fenced.isSetBack(now)) {
      throw ConflictErrors.setBackAfterVacuum(context.paths().head());
    }
    plan.keepUnlessExpired(now.orElseThrow());
    plan.deleteHistory(ended);
  }

  private static boolean isOvertaken(
      VersionedHead fenced, HeadStore.Changed ended, VacuumPlan plan) {
    Optional<Head> now = ended.now().head();
    return isLater(fenced, now) && now.filter(plan::isOvertakenIn).isPresent();
  }

  private HeadStore.Changed end(VersionedHead fenced, VersionedHead from, VacuumPlan plan)
      throws IOException, InterruptedException {
    plan.writeFiles(from.head().orElseThrow());
    return context
        .heads()
        .change(
            from,
            now ->
                now.filter(it -> isLater(fenced, now))
                    .map(plan::ended)
                    .filter(it -> !now.equals(Optional.of(it))));
  }
}
