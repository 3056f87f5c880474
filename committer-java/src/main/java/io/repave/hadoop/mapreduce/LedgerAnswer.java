package io.repave.hadoop.mapreduce;

/** What became of a ledger that a task sent to its job. */
public enum LedgerAnswer {
  /** The job has the ledger, or that of a later attempt. */
  TAKEN,

  /** The job may not have the ledger, so it must be stored. */
  STORE,

  /** The job has been committed or aborted, or it is about to be. It needs no ledger any more. */
  ENDED,

  /** No job of this commit is in that process: it has ended, or it runs in another process. */
  UNKNOWN
}
