package io.repave.hadoop.mapreduce;

import java.util.HashMap;
import java.util.Map;

/**
 * The ledgers that tasks sent to jobs of this process. It takes those of a job from its set-up
 * until its commit or abort begins, so a late message of an attempt that was given up is refused.
 *
 * <p>The ledgers of all jobs together take a limited number of bytes. Beyond that, tasks store
 * theirs, and the commit reads them one after another.
 */
public final class LedgerInbox {
  static final long BYTES_MAX = 512L << 20;

  /** The inbox of this JVM: Hadoop and Spark create their objects themselves. */
  public static final LedgerInbox JVM = new LedgerInbox(BYTES_MAX);

  private final Map<String, Ledgers> jobs = new HashMap<>();
  private long bytesMax;
  private long bytes;

  LedgerInbox(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Sets the limit. Ledgers that it has stay. */
  public synchronized void limit(long newBytesMax) {
    bytesMax = newBytesMax;
  }

  /** Those of one job. */
  private static final class Ledgers {
    private final Map<String, SentLedger> byTask = new HashMap<>();
    private boolean closed;
  }

  synchronized void open(String commit) {
    jobs.put(commit, new Ledgers());
  }

  /**
   * Takes the ledger of a task. Of several attempts, the one with the highest number counts, as for
   * stored ledgers: the message of an attempt that its engine gave up may arrive last.
   */
  public synchronized LedgerAnswer receive(SentLedger sent) {
    Ledgers job = jobs.get(sent.commit());
    if (job == null) {
      return LedgerAnswer.UNKNOWN;
    }
    if (job.closed) {
      return LedgerAnswer.ENDED;
    }
    SentLedger before = job.byTask.get(sent.task());
    if (before != null && before.attempt() >= sent.attempt()) {
      return LedgerAnswer.TAKEN;
    }
    long more = sent.ledger().length - (before == null ? 0L : before.ledger().length);
    if (bytes + more > bytesMax) {
      return LedgerAnswer.STORE;
    }
    bytes += more;
    job.byTask.put(sent.task(), sent);
    return LedgerAnswer.TAKEN;
  }

  /** The ledgers by task. A message that arrives later is refused. */
  synchronized Map<String, SentLedger> close(String commit) {
    Ledgers job = jobs.get(commit);
    if (job == null) {
      return Map.of();
    }
    job.closed = true;
    return Map.copyOf(job.byTask);
  }

  /**
   * Ends the memory of a job, whose record in the store is gone: it says from now on that the job
   * has ended.
   */
  synchronized void forget(String commit) {
    Ledgers job = jobs.remove(commit);
    if (job != null) {
      job.byTask.values().forEach(sent -> bytes -= sent.ledger().length);
    }
  }
}
