package io.repave.hadoop.mapreduce;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The ledgers that tasks sent to jobs of this process. It holds those of a job from its set-up
 * until its end, so a late message of an attempt that was given up is refused.
 */
public final class LedgerInbox {
  /** The inbox of this JVM: Hadoop and Spark create their objects themselves. */
  public static final LedgerInbox JVM = new LedgerInbox();

  private final Map<String, Map<String, byte[]>> jobs = new ConcurrentHashMap<>();

  void open(String commit) {
    jobs.put(commit, new ConcurrentHashMap<>());
  }

  /**
   * Takes the ledger of a task; of two attempts, the later one counts. Returns whether the job of
   * this commit takes ledgers. If not, the ledger was not kept.
   */
  public boolean receive(String commit, String task, byte[] ledger) {
    return jobs.computeIfPresent(
            commit,
            (id, ledgers) -> {
              ledgers.put(task, ledger);
              return ledgers;
            })
        != null;
  }

  /** The ledgers by task. A message that arrives later is refused. */
  Map<String, byte[]> close(String commit) {
    Map<String, byte[]> received = jobs.remove(commit);
    return received == null ? Map.of() : received;
  }
}
