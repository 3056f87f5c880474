package io.repave.testing;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitResult;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitId;
import java.io.IOException;

/** A job whose tasks are done: its transaction is open, and its files are uploaded. */
public record TestJob(WriteTransaction transaction, Ledger ledger) {

  public CommitId id() {
    return transaction.id();
  }

  public CommitResult commit() throws IOException, InterruptedException {
    return transaction.commit(ledger);
  }

  public boolean abort() throws IOException, InterruptedException {
    return transaction.abort(ledger);
  }
}
