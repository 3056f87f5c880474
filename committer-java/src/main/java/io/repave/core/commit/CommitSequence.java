package io.repave.core.commit;

import io.repave.core.conflict.Heartbeat;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.Follower;
import io.repave.core.record.LedgerIndex;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Commits a job: the nine steps of the protocol, in order. */
final class CommitSequence {
  private final TableContext context;
  private final Reporter reporter;
  private final Reserve reserve;
  private final Runnable atPublication;

  /** {@code atPublication} runs after step 6; it does not block or throw. */
  CommitSequence(TableContext context, Reporter reporter, Reserve reserve, Runnable atPublication) {
    this.context = context;
    this.reporter = reporter;
    this.reserve = reserve;
    this.atPublication = atPublication;
  }

  CommitResult run(LedgerIndex job, Ledger ledger) throws IOException, InterruptedException {
    return run(job, ledger, (index, recorded) -> Optional.empty());
  }

  /** What may stop a job before its decision. */
  @FunctionalInterface
  interface Guards {
    Optional<Reserve.Guard> of(LedgerIndex index, Ledger ledger);
  }

  CommitResult run(LedgerIndex job, Ledger tasks, Guards guards)
      throws IOException, InterruptedException {
    // 1. Make the ledger durable, so that any process can finish the commit.
    LedgerIndex index = new RecordUploads(context).run(job, tasks);
    Ledger ledger = recorded(index, tasks);
    // 2. Decide the commit by a swap of the head, unless a guard of the job stops it before.
    Reserve.Reservation reservation = reserve.run(index, guards.of(index, ledger));
    if (reservation.earlier().isPresent()) {
      return reporter.earlier(reservation.earlier().get());
    }
    try (Heartbeat heartbeat = Heartbeat.start(context, index.id())) {
      // A decided commit is finished, also when the engine stops this job: until then readers of
      // the folders may see old and new rows.
      CommitResult result =
          context.runner().despiteInterrupt(() -> forward(index, ledger, reservation.seen()));
      heartbeat.end();
      return result;
    } catch (CommitFailedException | CommitStateUnknownException known) {
      throw known;
    } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
      // Also without memory, a thread or a class, the commit is decided.
      throw reporter.decidedNotFinished(index.id(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw reporter.decidedNotFinished(index.id(), e);
    }
  }

  /**
   * The ledger for the steps after the first. Each of them passes over all files, some while files
   * are already visible: the record takes a request for 10,000 files, and ledgers of tasks that
   * have to be fetched take one for each task.
   */
  private Ledger recorded(LedgerIndex index, Ledger tasks)
      throws IOException, InterruptedException {
    return tasks.fetchesTasks() ? StoredLedger.open(context, index.id(), index.kind()) : tasks;
  }

  /** The steps after the decision. The commit is reverted only when an upload is lost. */
  private CommitResult forward(LedgerIndex index, Ledger ledger, VersionedHead reserved)
      throws IOException, InterruptedException {
    // 3. Record the new files and exactly the old files that they replace. The listing comes after
    //    the reservation.
    CommitManifest manifest = new Plan(context).run(index, ledger, reserved.head().orElseThrow());
    // 4. Make the new files visible, in addition to the old ones.
    Ledger doubts = new CompleteUploads(context).run(ledger);
    // 5. Prove that every new file exists.
    new Verify(context).run(index, ledger, doubts, reserved);
    // 6. Publish the version before any old file is deleted: a reader may see both, never neither.
    Publish.Published published = new Publish(context).run(index, ledger, reserved);
    atPublication.run();
    try {
      return finish(index, manifest, published);
    } catch (CommitStateUnknownException setBack) {
      throw setBack;
    } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
      throw reporter.publishedNotFinished(index.id(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw reporter.publishedNotFinished(index.id(), e);
    }
  }

  /** The steps after publication. Readers that list folders may still see the old rows as well. */
  private CommitResult finish(
      LedgerIndex index, CommitManifest manifest, Publish.Published published)
      throws IOException, InterruptedException {
    // 7. Bring other readers' pointers to the version before the files that they name are deleted.
    List<Follower> forward = new Follow(context).run(manifest, published.seen());
    // 8. Delete exactly the old files that the manifest names.
    new Retire(context).run(manifest, published.seen());
    // 9. Write the report and remove the commit from the unfinished ones.
    return reporter.result(new Finish(context).run(index, manifest, published, forward));
  }
}
