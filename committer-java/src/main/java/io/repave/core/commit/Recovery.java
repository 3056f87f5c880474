package io.repave.core.commit;

import io.repave.core.conflict.CancelledCommits;
import io.repave.core.conflict.ConcurrentCommits;
import io.repave.core.conflict.ConflictChecker;
import io.repave.core.conflict.Heartbeat;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.error.RecordErrors;
import io.repave.core.listing.OpenUploads;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Follower;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.History;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Finishes decided commits. It may run in any process, at any time and any number of times, even
 * while the commit's driver is still running. Every step finds out what is already done, and does
 * the rest.
 */
public final class Recovery {
  private final Supplier<TableContext> contexts;

  /** {@code contexts} supplies a context with a new meter for each commit. */
  public Recovery(Supplier<TableContext> contexts) {
    this.contexts = contexts;
  }

  /** What a recovery finished, and why it could not finish the other commits. */
  record Outcome(List<RecoveredCommit> recovered, Map<CommitId, IOException> failures) {}

  /**
   * Finishes every unfinished commit of the table and returns them. A commit that cannot be
   * finished does not keep the others from being finished; its failure is thrown at the end.
   */
  public List<RecoveredCommit> run() throws IOException, InterruptedException {
    Head head = contexts.get().heads().read().head().orElse(null);
    return all(finish(head == null ? List.of() : head.active()));
  }

  /** Finishes one commit; throws when it cannot be finished. */
  void finishOnly(ActiveCommit commit) throws IOException, InterruptedException {
    all(finish(List.of(commit)));
  }

  private static List<RecoveredCommit> all(Outcome outcome) throws IOException {
    IOException first = null;
    for (IOException failure : outcome.failures().values()) {
      if (first == null) {
        first = failure;
      } else {
        first.addSuppressed(failure);
      }
    }
    if (first != null) {
      throw first;
    }
    return outcome.recovered();
  }

  /** The unfinished commits of other writers; this recovery finishes the dead ones. */
  ConcurrentCommits concurrent(TableContext job, ConflictChecker checker) {
    return new ConcurrentCommits(job, checker, commits -> finish(commits).failures());
  }

  /**
   * Finishes several commits. Reverts wait together for requests that may still be in flight.
   * Throws only when the head cannot be read.
   */
  Outcome finish(List<ActiveCommit> commits) throws IOException, InterruptedException {
    List<RecoveredCommit> recovered = new ArrayList<>();
    Map<CommitId, IOException> failures = new LinkedHashMap<>();
    List<StartedRevert> reverts = new ArrayList<>();
    List<Heartbeat> heartbeats = new ArrayList<>();
    try {
      for (ActiveCommit commit : commits) {
        TableContext context = contexts.get();
        VersionedHead seen = context.heads().read();
        Heartbeat heartbeat = Heartbeat.resume(context, commit.id());
        heartbeats.add(heartbeat);
        try {
          Optional<RecoveredCommit> done = finish(context, commit, seen, reverts);
          if (done.isPresent()) {
            recovered.add(done.get());
            heartbeat.end();
          }
        } catch (IOException e) {
          heartbeat.close();
          failures.put(commit.id(), e);
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
          // One that cannot be finished does not keep the others from being finished.
          heartbeat.close();
          failures.put(commit.id(), new IOException(e.toString(), e));
        }
      }
      for (StartedRevert each : reverts) {
        try {
          recovered.add(each.end(contexts.get()));
        } catch (IOException e) {
          failures.put(each.commit().id(), e);
        }
      }
    } finally {
      heartbeats.forEach(Heartbeat::close);
    }
    return new Outcome(recovered, failures);
  }

  /** A commit whose files are deleted and whose revert still has to be recorded. */
  private record StartedRevert(ActiveCommit commit, Revert revert, Revert.Started started) {
    RecoveredCommit end(TableContext context) throws IOException, InterruptedException {
      try {
        return revert.end(started)
            ? RecoveredCommit.reverted(commit)
            : RecoveredCommit.finishedByAnotherProcess(commit);
      } catch (CommitStateUnknownException lost) {
        return unlessDropped(context, commit, started.from(), lost);
      }
    }
  }

  /** Finishes one commit, or starts its revert and adds it to {@code reverts}. */
  private Optional<RecoveredCommit> finish(
      TableContext context, ActiveCommit commit, VersionedHead seen, List<StartedRevert> reverts)
      throws IOException, InterruptedException {
    Optional<ActiveCommit> now = seen.head().flatMap(head -> head.active(commit.id()));
    if (now.isEmpty()) {
      return Optional.of(endedByAnotherProcess(context, commit, seen));
    }
    StoredLedger ledger = LostLedger.open(context, now.get(), seen.head().orElseThrow());
    ledger.requireAllowed();
    requirePossible(context, commit, seen.head().orElseThrow());
    if (now.get().state() == CommitState.REVERTING) {
      reverts.add(startRevert(context, commit, ledger, seen));
      return Optional.empty();
    }
    if (now.get().state() == CommitState.PENDING) {
      Optional<VersionedHead> later = publishedSince(context, commit);
      if (later.isPresent()) {
        return finish(context, commit, later.get(), reverts);
      }
    }
    try {
      Optional<RecoveredCommit> done = forward(context, ledger, now.get(), seen);
      if (done.isEmpty()) {
        reverts.add(startRevert(context, commit, ledger, seen));
      }
      return done;
    } catch (CommitFailedException reverted) {
      return Optional.of(RecoveredCommit.reverted(commit));
    } catch (CommitStateUnknownException lost) {
      return Optional.of(unlessDropped(context, commit, seen, lost));
    }
  }

  /** A commit of a dropped table needs no recovery. */
  private static RecoveredCommit unlessDropped(
      TableContext context,
      ActiveCommit commit,
      VersionedHead seen,
      CommitStateUnknownException lost)
      throws IOException, InterruptedException {
    if (seen.isDropped(context.heads().read().head())) {
      return RecoveredCommit.finishedByAnotherProcess(commit);
    }
    throw lost;
  }

  /**
   * A commit that the head no longer names as unfinished. Its mark alone does not show a revert: a
   * vacuum may have put it while the commit was being reserved. Requests: 1 HEAD of the mark if the
   * head does not name the commit; if it has one, 1 GET for each checkpoint back to its base.
   */
  private static RecoveredCommit endedByAnotherProcess(
      TableContext context, ActiveCommit commit, VersionedHead seen)
      throws IOException, InterruptedException {
    Optional<Head> head = seen.head();
    if (head.isEmpty()) {
      return RecoveredCommit.finishedByAnotherProcess(commit);
    }
    Optional<LoggedCommit> ended = head.get().logged(commit.id());
    if (ended.isEmpty() && new CancelledCommits(context).contains(commit.id().id())) {
      ended = new History(context).ended(head.get(), commit.id(), commit.base());
      if (ended.isEmpty()) {
        return RecoveredCommit.reverted(commit);
      }
    }
    return ended.filter(LoggedCommit::reverted).isPresent()
        ? RecoveredCommit.reverted(commit)
        : RecoveredCommit.finishedByAnotherProcess(commit);
  }

  /**
   * The head after another process published the commit, if one has since the head was read. A
   * report exists only after the publication. So if there is a report and the head shows the commit
   * as unpublished, that head is an older one that was put back, and later commits have replaced
   * what this one wrote. Requests: 1 HEAD, and 1 GET of the head if there is a report.
   */
  private static Optional<VersionedHead> publishedSince(TableContext context, ActiveCommit commit)
      throws IOException, InterruptedException {
    if (context.records().find(context.paths().report(commit.id())).isEmpty()) {
      return Optional.empty();
    }
    VersionedHead later = context.heads().read();
    Optional<ActiveCommit> now = later.head().flatMap(head -> head.active(commit.id()));
    if (now.filter(it -> it.state() == CommitState.PENDING).isPresent()) {
      throw RecordErrors.headBeforeReport(context.paths().head(), commit.id().id());
    }
    return Optional.of(later);
  }

  private static StartedRevert startRevert(
      TableContext context, ActiveCommit commit, StoredLedger ledger, VersionedHead seen)
      throws IOException, InterruptedException {
    Revert revert = new Revert(context);
    return new StartedRevert(commit, revert, revert.start(ledger.index().id(), ledger, seen));
  }

  /** A rollback's ledger names no folders, so on a listing table it could delete any file. */
  private static void requirePossible(TableContext context, ActiveCommit commit, Head head)
      throws InvalidRecordException {
    if (commit.kind() == CommitKind.ROLLBACK && head.readers() == Readers.LISTING) {
      throw RecordErrors.rollbackOnListingTable(
          commit.id().id(), context.paths().root(), context.paths().head());
    }
  }

  /**
   * The commit's open uploads, which are completed without a look-up. They are not listed on a
   * snapshot table without a catalog: almost all of its files were put directly, and Verify looks
   * up the rest. Requests: 1 listing of uploads.
   */
  private static Set<String> open(TableContext context, LedgerIndex index, VersionedHead seen)
      throws InterruptedException {
    Head head = seen.head().orElseThrow();
    boolean none = head.readers() == Readers.SNAPSHOT && !head.isInCatalog();
    return none ? Set.of() : new OpenUploads(context).ids(index.id());
  }

  /** The remaining steps; empty when a file is lost, so that the commit has to be reverted. */
  private static Optional<RecoveredCommit> forward(
      TableContext context, StoredLedger ledger, ActiveCommit commit, VersionedHead seen)
      throws IOException, InterruptedException {
    LedgerIndex index = ledger.index();
    Publish.Published published;
    // 3. Use the manifest that exists, or write one; the first manifest wins.
    CommitManifest manifest = new Plan(context).resume(index, ledger, seen.head().orElseThrow());
    if (commit.state() == CommitState.PENDING) {
      // 4, 5. Every file is in doubt: complete what is open, look up the others.
      if (new Verify(context).findLost(ledger, open(context, index, seen)).isPresent()) {
        return Optional.empty();
      }
      // 6. Publish the version.
      published = new Publish(context).run(index, ledger, seen);
    } else {
      // Another process may have finished the commit before this one read or wrote its manifest.
      published = new Publish.Published(context.heads().read(), commit.version());
      Optional<Head> later = published.seen().head();
      if (seen.isDropped(later)) {
        return Optional.of(RecoveredCommit.finishedByAnotherProcess(commit));
      }
      new Publish.Published(seen, commit.version()).requireIn(context, index.id(), later);
    }
    // 7. Bring other readers' pointers to the version.
    List<Follower> forward = new Follow(context).run(manifest, published.seen());
    // 8. Delete the old files that the manifest names.
    new Retire(context).run(manifest, published.seen());
    // 9. Write the report and remove the commit from the unfinished ones.
    return Optional.of(
        RecoveredCommit.published(new Finish(context).run(index, manifest, published, forward)));
  }
}
