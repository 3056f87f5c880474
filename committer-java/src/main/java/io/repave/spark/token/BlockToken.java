package io.repave.spark.token;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.OptionBlock;
import io.repave.spark.write.RunningQueries;
import io.repave.spark.write.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.LongPredicate;

/**
 * The use of the token that a block of options gives: for one write to each table, however often
 * that write is tried. Another write with the token would count as written, or be lost when the
 * program is repeated.
 */
final class BlockToken {
  private static final int TABLES_MAX = 1_000;
  private static final Map<OptionBlock, BlockToken> BLOCKS = new WeakHashMap<>();

  private enum State {
    OPEN,
    FAILED,
    COMMITTED
  }

  private record Tried(Statement write, State state) {}

  private final Map<Location, Tried> tables = new HashMap<>();
  private final Map<Location, PlannedWrites> planned = new HashMap<>();

  private final LongPredicate isRunning;

  BlockToken(LongPredicate isRunning) {
    this.isRunning = isRunning;
  }

  static BlockToken of(OptionBlock block) {
    synchronized (BLOCKS) {
      return BLOCKS.computeIfAbsent(block, unseen -> new BlockToken(RunningQueries::isRunning));
    }
  }

  /** Notes a write that Spark is going to make. It has failed if it does not begin. */
  synchronized void plan(Location table, long execution, Statement write) {
    // At the bound, the write is refused when it begins.
    if (planned.containsKey(table) || planned.size() < TABLES_MAX) {
      planned(table).add(execution, write);
    }
  }

  /** Begins a write, which is open until the result is told that it ended. */
  synchronized WriteToken.Use begin(Location table, long execution, Statement write)
      throws InvalidConfigException {
    Tried before = tables.get(table);
    if (before == null && tables.size() >= TABLES_MAX) {
      throw WriteTokenErrors.tooManyTablesInBlock(TABLES_MAX);
    }
    if (before != null && before.state() != State.FAILED) {
      throw WriteTokenErrors.secondWriteInBlock(table);
    }
    boolean isAnother =
        before == null
            ? planned(table).hasAnotherFailed(execution, write)
            : !before.write().isSameAs(write);
    if (isAnother) {
      throw WriteTokenErrors.otherWriteInBlock(table);
    }
    planned(table).begun(execution, write);
    tables.put(table, new Tried(write, State.OPEN));
    return new WriteToken.Use() {
      @Override
      public void committed() {
        end(table, new Tried(write, State.COMMITTED));
      }

      @Override
      public void failed() {
        end(table, new Tried(write, State.FAILED));
      }
    };
  }

  private PlannedWrites planned(Location table) {
    return planned.computeIfAbsent(table, unseen -> new PlannedWrites(isRunning));
  }

  private synchronized void end(Location table, Tried ended) {
    tables.put(table, ended);
  }
}
