package io.repave.hadoop.mapreduce;

/** The ledger of one attempt of a task, for the job of a commit. */
public record SentLedger(String commit, String task, int attempt, byte[] ledger) {}
