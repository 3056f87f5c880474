package io.repave.core;

import io.repave.core.error.CommitFailed;
import io.repave.core.error.InvalidConfig;
import io.repave.core.error.RecordRefused;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.step.Finish;
import io.repave.core.step.HeadStore;
import io.repave.core.step.Neighbours;
import io.repave.core.step.Plan;
import io.repave.core.step.Planned;
import io.repave.core.step.Predecessors;
import io.repave.core.step.Publish;
import io.repave.core.step.RecordedLedger;
import io.repave.core.step.Reserve;
import io.repave.core.step.Retire;
import io.repave.core.step.Revert;
import io.repave.core.step.StepContext;
import io.repave.core.step.Verify;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Finishes what was decided, from any point, in any process, as often as one likes, even beside the
 * driver that is still at it: every step finds what is done and does the rest.
 */
final class Recovery {
  private final Supplier<StepContext> contexts;

  /** {@code contexts}: a context with a meter of its own for each commit. */
  Recovery(Supplier<StepContext> contexts) {
    this.contexts = contexts;
  }

  /** A reservation whose base is the head of when nothing stood in the way any more. */
  Reserve reserve(StepContext context, CommitRequest request, HeadStore.Seen seen)
      throws IOException, InterruptedException {
    Neighbours neighbours = new Neighbours(context, this::finish);
    return new Reserve(
        context, neighbours, new Predecessors(context, neighbours).over(request, seen));
  }

  /**
   * Finishes every unfinished commit of the table; returns those that it dealt with. One whose
   * records are refused keeps no other from being finished; it is told at the end.
   */
  List<Recovered> run() throws IOException, InterruptedException {
    List<Recovered> recovered = new ArrayList<>();
    IOException refusal = null;
    Head head = contexts.get().heads().read().head().orElse(null);
    for (ActiveCommit commit : head == null ? List.<ActiveCommit>of() : head.active()) {
      try {
        recovered.add(finish(commit));
      } catch (RecordRefused | InvalidConfig e) {
        if (refusal == null) {
          refusal = e;
        } else {
          refusal.addSuppressed(e);
        }
      }
    }
    if (refusal != null) {
      throw refusal;
    }
    return recovered;
  }

  /** Finishes one commit. */
  Recovered finish(ActiveCommit commit) throws IOException, InterruptedException {
    StepContext context = contexts.get();
    HeadStore.Seen seen = context.heads().read();
    if (seen.head().flatMap(head -> head.active(commit.id())).isEmpty()) {
      return Recovered.ofOthers(commit);
    }
    RecordedLedger ledger = RecordedLedger.open(context, commit.id());
    ledger.requireTrusted();
    try {
      return forward(context, ledger.index(), ledger, seen);
    } catch (CommitFailed taken) {
      return Recovered.reverted(commit);
    }
  }

  private static Recovered forward(
      StepContext context, LedgerIndex index, Ledger ledger, HeadStore.Seen seen)
      throws IOException, InterruptedException {
    HeadStore.Seen published = seen;
    // 3. The plan that is there, or one made now; the first one put counts.
    Planned plan = new Plan(context).resume(index, ledger, seen.head().orElseThrow());
    if (state(seen, index) == CommitState.REVERTING) {
      new Revert(context).run(index.id(), ledger, seen);
      throw Revert.reverted(index.id());
    }
    if (state(seen, index) == CommitState.PENDING) {
      // 4, 5. Every file is doubtful: looked up first, completed where it is absent.
      new Verify(context).run(index, ledger, ledger, seen);
      // 6. The version.
      published = new Publish(context).run(index, ledger, seen);
    }
    // 7. The planned old files go.
    new Retire(context).run(plan, published);
    // 8. Nothing is left to do.
    CommitReport report = new Reporter(context).report(index, plan, published);
    new Finish(context).run(index, report, published);
    return Recovered.published(report);
  }

  private static CommitState state(HeadStore.Seen seen, LedgerIndex index) {
    return seen.head().flatMap(head -> head.active(index.id())).orElseThrow().state();
  }
}
