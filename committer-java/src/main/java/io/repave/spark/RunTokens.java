package io.repave.spark;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The tokens of a run's writes ({@code repave.run}): the run's name and the number of the write
 * among this application's committed writes to the table. After a failed write, the next write gets
 * the same number, because a retry is the same write.
 */
final class RunTokens {
  static final RunTokens JVM = new RunTokens(100_000);

  /**
   * The writes of a run to a table. A JVM may run one application after the other: Python keeps it
   * over {@code spark.stop()}, and each application numbers its own writes.
   */
  record Writes(String application, String run, Location table) {}

  private final int tables;
  private final Map<Writes, Long> committed = new HashMap<>();
  private final Set<Writes> open = new HashSet<>();

  RunTokens(int tables) {
    this.tables = tables;
  }

  /** The token of the next write, which is open until {@link #committed} or {@link #failed}. */
  synchronized String begin(Writes writes) throws InvalidConfigException {
    if (!committed.containsKey(writes) && committed.size() >= tables) {
      // Forgetting one would give an old token to a new write, whose rows would be lost.
      throw WriteErrors.tooManyTablesInRun(tables);
    }
    if (!open.add(writes)) {
      throw WriteErrors.concurrentWritesInRun(writes.table(), writes.run());
    }
    return writes.run() + "/" + (committed.getOrDefault(writes, 0L) + 1);
  }

  synchronized void committed(Writes writes) {
    open.remove(writes);
    committed.merge(writes, 1L, Long::sum);
  }

  /** The write may be retried with its token. */
  synchronized void failed(Writes writes) {
    open.remove(writes);
  }
}
