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

  /** The writes of a run to a table. */
  private record Writes(String run, Location table) {}

  private final int tables;
  private final Map<Writes, Long> committed = new HashMap<>();
  private final Set<Writes> open = new HashSet<>();

  RunTokens(int tables) {
    this.tables = tables;
  }

  /** The token of the next write, which is open until {@link #committed} or {@link #failed}. */
  synchronized String begin(String run, Location table) throws InvalidConfigException {
    Writes writes = new Writes(run, table);
    if (!committed.containsKey(writes) && committed.size() >= tables) {
      // Forgetting one would give an old token to a new write, whose rows would be lost.
      throw WriteErrors.tooManyTablesInRun(tables);
    }
    if (!open.add(writes)) {
      throw WriteErrors.concurrentWritesInRun(table, run);
    }
    return run + "/" + (committed.getOrDefault(writes, 0L) + 1);
  }

  synchronized void committed(String run, Location table) {
    Writes writes = new Writes(run, table);
    open.remove(writes);
    committed.merge(writes, 1L, Long::sum);
  }

  /** The write may be retried with its token. */
  synchronized void failed(String run, Location table) {
    open.remove(new Writes(run, table));
  }
}
