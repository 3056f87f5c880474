package io.repave.core.commit;

import io.repave.core.conflict.Heartbeat;
import io.repave.core.engine.CommitReport;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Finishes what was decided, from any point, in any process, as often as one likes, even beside the
 * driver that is still at it: every step finds what is done and does the rest.
 */
public final class Recovery {
  private final Supplier<TableContext> contexts;

  /** {@code contexts}: a context with a meter of its own for each commit. */
  public Recovery(Supplier<TableContext> contexts) {
    this.contexts = contexts;
  }

  /** How far the finishing of some commits came. */
  record Outcome(List<RecoveredCommit> recovered, Map<CommitId, IOException> failures) {}

  /**
   * Finishes every unfinished commit of the table; returns those that it dealt with. One that
   * cannot be finished keeps no other from being finished; it is told at the end.
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
    IOException told = null;
    for (IOException failure : outcome.failures().values()) {
      if (told == null) {
        told = failure;
      } else {
        told.addSuppressed(failure);
      }
    }
    if (told != null) {
      throw told;
    }
    return outcome.recovered();
  }

  /**
   * Finishes several commits. Those that have to be taken back wait together for requests that may
   * be under way. Throws only when the head cannot be read.
   */
  Outcome finish(List<ActiveCommit> commits) throws IOException, InterruptedException {
    List<RecoveredCommit> recovered = new ArrayList<>();
    Map<CommitId, IOException> failures = new LinkedHashMap<>();
    List<TakenBack> takenBack = new ArrayList<>();
    List<Heartbeat> heartbeats = new ArrayList<>();
    try {
      for (ActiveCommit commit : commits) {
        TableContext context = contexts.get();
        VersionedHead seen = context.heads().read();
        Heartbeat heartbeat = Heartbeat.resume(context, commit.id());
        heartbeats.add(heartbeat);
        try {
          Optional<RecoveredCommit> done = finish(context, commit, seen, takenBack);
          if (done.isPresent()) {
            recovered.add(done.get());
            heartbeat.end();
          }
        } catch (IOException e) {
          heartbeat.close();
          failures.put(commit.id(), e);
        }
      }
      for (TakenBack each : takenBack) {
        try {
          recovered.add(each.end());
        } catch (IOException e) {
          failures.put(each.commit().id(), e);
        }
      }
    } finally {
      heartbeats.forEach(Heartbeat::close);
    }
    return new Outcome(recovered, failures);
  }

  /** A commit that is being taken back, and how. */
  private record TakenBack(ActiveCommit commit, Revert revert, Revert.Started started) {
    RecoveredCommit end() throws IOException, InterruptedException {
      return revert.end(started)
          ? RecoveredCommit.reverted(commit)
          : RecoveredCommit.ofOthers(commit);
    }
  }

  /** Finishes one commit, or adds it to those that are being taken back. */
  private Optional<RecoveredCommit> finish(
      TableContext context, ActiveCommit commit, VersionedHead seen, List<TakenBack> takenBack)
      throws IOException, InterruptedException {
    Optional<ActiveCommit> now = seen.head().flatMap(head -> head.active(commit.id()));
    if (now.isEmpty()) {
      return Optional.of(RecoveredCommit.ofOthers(commit));
    }
    StoredLedger ledger = StoredLedger.open(context, commit.id(), commit.kind());
    ledger.requireAllowed();
    requirePossible(context, commit, seen.head().orElseThrow());
    if (now.get().state() == CommitState.REVERTING) {
      takenBack.add(takeBack(context, commit, ledger, seen));
      return Optional.empty();
    }
    try {
      Optional<RecoveredCommit> done = forward(context, ledger, now.get().state(), seen);
      if (done.isEmpty()) {
        takenBack.add(takeBack(context, commit, ledger, seen));
      }
      return done;
    } catch (CommitFailedException taken) {
      return Optional.of(RecoveredCommit.reverted(commit));
    }
  }

  private static TakenBack takeBack(
      TableContext context, ActiveCommit commit, StoredLedger ledger, VersionedHead seen)
      throws IOException, InterruptedException {
    Revert revert = new Revert(context);
    return new TakenBack(commit, revert, revert.start(ledger.index().id(), ledger, seen));
  }

  /** A rollback's ledger names no folders, so on a table that deletes files it would cover all. */
  private static void requirePossible(TableContext context, ActiveCommit commit, Head head)
      throws InvalidRecordException {
    if (commit.kind() == CommitKind.ROLLBACK && head.readers() == Readers.LISTING) {
      throw new InvalidRecordException(
          "The head of "
              + context.paths().root()
              + " names the rollback "
              + commit.id().id()
              + ", and a table with repave.readers=listing has no rollbacks. Repave did not write"
              + " that. Nothing was changed; restore "
              + context.paths().head()
              + " from the bucket's older versions.");
    }
  }

  /** The rest of the steps; empty when a file is lost, so that the commit has to be taken back. */
  private static Optional<RecoveredCommit> forward(
      TableContext context, StoredLedger ledger, CommitState state, VersionedHead seen)
      throws IOException, InterruptedException {
    LedgerIndex index = ledger.index();
    VersionedHead published = seen;
    // 3. The plan that is there, or one made now; the first one put counts.
    CommitManifest plan = new Plan(context).resume(index, ledger, seen.head().orElseThrow());
    if (state == CommitState.PENDING) {
      // 4, 5. Every file is doubtful: looked up first, completed where it is absent.
      if (new Verify(context).lost(ledger).isPresent()) {
        return Optional.empty();
      }
      // 6. The version.
      published = new Publish(context).run(index, ledger, seen);
    }
    // 7. The planned old files go.
    new Retire(context).run(plan, published);
    // 8. Nothing is left to do.
    CommitReport report = new Reporter(context).report(index, plan, published);
    new Finish(context).run(index, report, published);
    return Optional.of(RecoveredCommit.published(report));
  }
}
