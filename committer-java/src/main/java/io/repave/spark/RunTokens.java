package io.repave.spark;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The tokens of a run's writes ({@code repave.run}): the run and the number of writes to the table
 * that this application committed before. A write that failed leaves its number to the next one,
 * which is the same write if the run is repeated.
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

  /**
   * The token of the next write, which is under way until {@link #committed} or {@link #failed}.
   */
  synchronized String begin(String run, Location table) throws InvalidConfigException {
    Writes writes = new Writes(run, table);
    if (!committed.containsKey(writes) && committed.size() >= tables) {
      // To forget one would give an old token to a new write, and lose its rows.
      throw new InvalidConfigException(
          "Writes to "
              + tables
              + " tables under repave.run were numbered in this application, and no more can be."
              + " Unset repave.run, or start a new application.");
    }
    if (!open.add(writes)) {
      throw new InvalidConfigException(
          "Two writes to "
              + table
              + " run at the same time under repave.run="
              + run
              + ". A repeated run could not tell which is which. Run one after the other, or give"
              + " each write a repave.token of its own.");
    }
    return run + "/" + (committed.getOrDefault(writes, 0L) + 1);
  }

  synchronized void committed(String run, Location table) {
    Writes writes = new Writes(run, table);
    open.remove(writes);
    committed.merge(writes, 1L, Long::sum);
  }

  /** The write may come again under its token. */
  synchronized void failed(String run, Location table) {
    open.remove(new Writes(run, table));
  }
}
