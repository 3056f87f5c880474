package io.repave.core;

import io.repave.core.error.CommitFailed;
import io.repave.core.error.CommitStateUnknown;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.LedgerIndex;
import io.repave.core.step.CompleteUploads;
import io.repave.core.step.Finish;
import io.repave.core.step.HeadStore;
import io.repave.core.step.Heartbeat;
import io.repave.core.step.Plan;
import io.repave.core.step.Planned;
import io.repave.core.step.Publish;
import io.repave.core.step.RecordUploads;
import io.repave.core.step.Reserve;
import io.repave.core.step.Retire;
import io.repave.core.step.StepContext;
import io.repave.core.step.Verify;
import java.io.IOException;

/** Commits a job: the protocol from its first step to its last. */
final class JobCommit {
  private final StepContext context;
  private final Reporter reporter;
  private final Reserve reserve;

  JobCommit(StepContext context, Reporter reporter, Reserve reserve) {
    this.context = context;
    this.reporter = reporter;
    this.reserve = reserve;
  }

  CommitResult run(LedgerIndex job, Ledger ledger) throws IOException, InterruptedException {
    // 1. The ledger is durable: whoever finishes the commit needs nothing from this process.
    LedgerIndex index = new RecordUploads(context).run(job, ledger);
    // 2. The decision.
    Reserve.Reservation reservation = reserve.run(index);
    if (reservation.earlier().isPresent()) {
      return reporter.earlier(reservation.earlier().get());
    }
    try (Heartbeat heartbeat = Heartbeat.start(context, index.id())) {
      CommitResult result = forward(index, ledger, reservation.seen());
      heartbeat.end();
      return result;
    } catch (CommitFailed | CommitStateUnknown told) {
      throw told;
    } catch (IOException e) {
      throw reporter.unfinished(index.id(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw reporter.unfinished(index.id(), e);
    }
  }

  /** What follows the decision. Nothing takes it back but an upload that is lost for good. */
  private CommitResult forward(LedgerIndex index, Ledger ledger, HeadStore.Seen reserved)
      throws IOException, InterruptedException {
    // 3. What comes in and exactly what goes out, listed after the reservation.
    Planned plan = new Plan(context).run(index, ledger, reserved.head().orElseThrow());
    // 4. The new files appear beside the old ones.
    Ledger doubts = new CompleteUploads(context).run(ledger);
    // 5. Every new file is proven to be there.
    new Verify(context).run(index, ledger, doubts, reserved);
    // 6. The version: snapshot readers see the new files. Before any old file goes, so that a
    //    reader may see both, never neither.
    HeadStore.Seen published = new Publish(context).run(index, ledger, reserved);
    try {
      return settle(index, plan, published);
    } catch (IOException e) {
      throw reporter.unsettled(index.id(), e);
    }
  }

  /**
   * What follows the publication: the new rows are there, the old ones may still be beside them.
   */
  private CommitResult settle(LedgerIndex index, Planned plan, HeadStore.Seen published)
      throws IOException, InterruptedException {
    // 7. Exactly the planned old files go: listing readers see the new ones alone.
    new Retire(context).run(plan, published);
    // 8. Nothing is left to do.
    CommitReport report = reporter.report(index, plan, published);
    new Finish(context).run(index, report, published);
    return reporter.result(report);
  }
}
