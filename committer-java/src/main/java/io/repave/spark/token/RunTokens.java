package io.repave.spark.token;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.spark.write.RunningQueries;
import io.repave.spark.write.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * The tokens of a run's writes ({@code repave.run}): the run's name and the number of the write
 * among this application's committed writes to the table.
 *
 * <p>After a failed write only the same write may follow, with the same number. The failed one may
 * be decided nevertheless, and then rows of another write with its number would count as written.
 * And when the run is repeated, the failed write succeeds and takes the number of the one after it.
 *
 * <p>A statement that fails after its commit has failed, too. With the next number a retry would
 * write its rows again, and when the run is repeated, the write after it would take that number.
 */
final class RunTokens {
  static final RunTokens JVM = new RunTokens(100_000, RunningQueries::isRunning);

  /**
   * The writes of a run to a table. A JVM may run one application after the other: Python keeps it
   * over {@code spark.stop()}, and each application numbers its own writes.
   */
  record Writes(String application, String run, Location table) {}

  private enum State {
    TRIED,
    COMMITTED
  }

  /** A write that has failed, before or after its commit, or is open. */
  private record Last(Statement write, State state) {}

  private static final class Count {
    final PlannedWrites planned;
    long committed;
    boolean isOpen;
    Optional<Last> last = Optional.empty();

    Count(LongPredicate isRunning) {
      planned = new PlannedWrites(isRunning);
    }
  }

  /** A write that has begun, and is open until its end is told. */
  final class Begun implements WriteToken.Use {
    private final Writes writes;
    private final Statement write;
    private final long number;

    private Begun(Writes writes, Statement write, long number) {
      this.writes = writes;
      this.write = write;
      this.number = number;
    }

    String token() {
      return writes.run() + "/" + number;
    }

    @Override
    public void committed() {
      end(this);
    }

    /** The write may be tried again with its token. Its statement may fail after its commit. */
    @Override
    public void failed() {
      fail(this);
    }
  }

  private final int tables;
  private final LongPredicate isRunning;
  private final Map<Writes, Count> counts = new HashMap<>();

  RunTokens(int tables, LongPredicate isRunning) {
    this.tables = tables;
    this.isRunning = isRunning;
  }

  /** Notes a write that Spark is going to make. It has failed if it does not begin. */
  synchronized void plan(Writes writes, long execution, Statement write) {
    // At the bound, the write is refused when it begins.
    if (!isFull(writes)) {
      count(writes).planned.add(execution, write);
    }
  }

  /** Begins the next write, and numbers it. */
  synchronized Begun begin(Writes writes, long execution, Statement write)
      throws InvalidConfigException {
    if (isFull(writes)) {
      // Forgetting one would give an old token to a new write, whose rows would be lost.
      throw WriteTokenErrors.tooManyTablesInRun(tables);
    }
    Count count = count(writes);
    if (count.isOpen || count.planned.isAnotherRunning(execution)) {
      throw WriteTokenErrors.concurrentWritesInRun(writes.table(), writes.run());
    }
    if (count.last.isEmpty()) {
      if (count.planned.hasAnotherFailed(execution, write)) {
        throw WriteTokenErrors.otherWriteAfterFailure(writes.table(), writes.run());
      }
      count.last = Optional.of(new Last(write, State.TRIED));
    } else if (!count.last.get().write().isSameAs(write)) {
      throw count.last.get().state() == State.COMMITTED
          ? WriteTokenErrors.otherWriteAfterCommit(writes.table(), writes.run())
          : WriteTokenErrors.otherWriteAfterFailure(writes.table(), writes.run());
    }
    count.planned.begun(execution, write);
    count.isOpen = true;
    return new Begun(writes, write, count.committed + 1);
  }

  private boolean isFull(Writes writes) {
    return !counts.containsKey(writes) && counts.size() >= tables;
  }

  private Count count(Writes writes) {
    return counts.computeIfAbsent(writes, unseen -> new Count(isRunning));
  }

  private synchronized void end(Begun begun) {
    Count count = counts.get(begun.writes);
    count.isOpen = false;
    count.last = Optional.empty();
    count.committed = begun.number;
  }

  private synchronized void fail(Begun begun) {
    Count count = counts.get(begun.writes);
    if (count.committed < begun.number) {
      count.isOpen = false;
    } else if (count.committed == begun.number && count.last.isEmpty()) {
      count.committed--;
      count.last = Optional.of(new Last(begun.write, State.COMMITTED));
    }
    // Otherwise another write has begun since, which already has the next number.
  }
}
