package io.repave.core.commit;

import io.repave.core.conflict.Heartbeat;
import io.repave.core.engine.CommitReport;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.LedgerIndex;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;

/** Commits a job: the protocol from its first step to its last. */
final class CommitSequence {
  private final TableContext context;
  private final Reporter reporter;
  private final Reserve reserve;

  CommitSequence(TableContext context, Reporter reporter, Reserve reserve) {
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
    } catch (CommitFailedException | CommitStateUnknownException told) {
      throw told;
    } catch (IOException e) {
      throw reporter.unfinished(index.id(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw reporter.unfinished(index.id(), e);
    }
  }

  /** What follows the decision. Nothing takes it back but an upload that is lost for good. */
  private CommitResult forward(LedgerIndex index, Ledger ledger, VersionedHead reserved)
      throws IOException, InterruptedException {
    // 3. What comes in and exactly what goes out, listed after the reservation.
    CommitManifest plan = new Plan(context).run(index, ledger, reserved.head().orElseThrow());
    // 4. The new files appear beside the old ones.
    Ledger doubts = new CompleteUploads(context).run(ledger);
    // 5. Every new file is proven to be there.
    new Verify(context).run(index, ledger, doubts, reserved);
    // 6. The version: snapshot readers see the new files. Before any old file goes, so that a
    //    reader may see both, never neither.
    VersionedHead published = new Publish(context).run(index, ledger, reserved);
    try {
      return settle(index, plan, published);
    } catch (IOException e) {
      throw reporter.unsettled(index.id(), e);
    }
  }

  /**
   * What follows the publication: the new rows are there, the old ones may still be beside them.
   */
  private CommitResult settle(LedgerIndex index, CommitManifest plan, VersionedHead published)
      throws IOException, InterruptedException {
    // 7. Exactly the planned old files go: listing readers see the new ones alone.
    new Retire(context).run(plan, published);
    // 8. Nothing is left to do.
    CommitReport report = reporter.report(index, plan, published);
    new Finish(context).run(index, report, published);
    return reporter.result(report);
  }
}
