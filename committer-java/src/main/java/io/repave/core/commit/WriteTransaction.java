package io.repave.core.commit;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.TableContext;
import io.repave.core.ledger.Ledger;
import io.repave.core.listing.OpenUploads;
import io.repave.core.record.CommitId;
import io.repave.core.record.LedgerIndex;
import java.io.IOException;
import java.util.Collection;
import java.util.List;

/** One job, from before its first task until it is committed or given up. */
public final class WriteTransaction {
  private final TableContext context;
  private final CommitId id;
  private final CommitRequest request;
  private final Reserve reserve;
  private Collection<String> touched = List.of();

  WriteTransaction(TableContext context, CommitId id, CommitRequest request, Reserve reserve) {
    this.context = context;
    this.id = id;
    this.request = request;
    this.reserve = reserve;
  }

  public CommitId id() {
    return id;
  }

  /**
   * Commits the files of the ledger, and no other of this job's. Throws {@code
   * CommitFailedException} or {@code CommitConflictException} when nothing was or will be
   * published, {@code CommitStateUnknownException} when the commit is decided or may be.
   */
  public CommitResult commit(Ledger ledger) throws IOException, InterruptedException {
    touched = ledger.summary().partitions();
    LedgerIndex index =
        new LedgerIndex(
            id,
            request.kind(),
            request.scope(),
            request.token(),
            request.application(),
            request.marker(),
            ledger.summary(),
            0,
            0);
    return new CommitSequence(context, new Reporter(context), reserve).run(index, ledger);
  }

  /**
   * Gives the job up, unless it is decided; {@code seen} are the uploads that are known. Returns
   * false when it is decided, and nothing was touched.
   */
  public boolean abort(Ledger seen) throws IOException, InterruptedException {
    return new AbortTransaction(context, reserve).run(id, seen);
  }

  /** Aborts what lost attempts left open; call it once the job is committed. Returns how many. */
  public int sweep() throws IOException, InterruptedException {
    return new OpenUploads(context).giveUp(id, touched);
  }
}
