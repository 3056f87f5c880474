package io.repave.spark.token;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.spark.write.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The tokens of a run's writes ({@code repave.run}): the run's name and the number of the write
 * among this application's committed writes to the table.
 *
 * <p>After a failed write only the same write may follow, with the same number. The failed one may
 * be decided nevertheless, and then rows of another write with its number would count as written.
 * And when the run is repeated, the failed write succeeds and takes the number of the one after it.
 */
final class RunTokens {
  static final RunTokens JVM = new RunTokens(100_000);

  /**
   * The writes of a run to a table. A JVM may run one application after the other: Python keeps it
   * over {@code spark.stop()}, and each application numbers its own writes.
   */
  record Writes(String application, String run, Location table) {}

  private static final class Count {
    long committed;
    boolean isOpen;
    Optional<Statement> tried = Optional.empty();
  }

  private final int tables;
  private final Map<Writes, Count> counts = new HashMap<>();

  RunTokens(int tables) {
    this.tables = tables;
  }

  /** The token of the next write, which is open until {@link #committed} or {@link #failed}. */
  synchronized String begin(Writes writes, Statement write) throws InvalidConfigException {
    if (!counts.containsKey(writes) && counts.size() >= tables) {
      // Forgetting one would give an old token to a new write, whose rows would be lost.
      throw WriteTokenErrors.tooManyTablesInRun(tables);
    }
    Count count = counts.computeIfAbsent(writes, unseen -> new Count());
    if (count.isOpen) {
      throw WriteTokenErrors.concurrentWritesInRun(writes.table(), writes.run());
    }
    if (count.tried.isPresent() && !count.tried.get().isSameAs(write)) {
      throw WriteTokenErrors.otherWriteAfterFailure(writes.table(), writes.run());
    }
    count.isOpen = true;
    count.tried = Optional.of(write);
    return writes.run() + "/" + (count.committed + 1);
  }

  /** Tells this how the open write ends. */
  WriteToken.Use use(Writes writes) {
    return new WriteToken.Use() {
      @Override
      public void committed() {
        RunTokens.this.committed(writes);
      }

      @Override
      public void failed() {
        RunTokens.this.failed(writes);
      }
    };
  }

  synchronized void committed(Writes writes) {
    Count count = counts.get(writes);
    count.isOpen = false;
    count.tried = Optional.empty();
    count.committed++;
  }

  /** The write may be tried again with its token. */
  synchronized void failed(Writes writes) {
    counts.get(writes).isOpen = false;
  }
}
