package io.repave.hadoop.read;

import io.repave.core.engine.BoundedMap;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Remembers the last look at each snapshot table, for the questions that Spark asks before it lists
 * a path: whether it exists, whether it is a folder, and whether a streaming query wrote it. Only
 * the answer that something exists may come from such a look. A listing never does, so a query sees
 * each commit that ended before it.
 */
final class RecentTables implements TableRecords {
  private static final long NANOS_MOST = TimeUnit.SECONDS.toNanos(5);
  private static final int TABLES_MOST = 64;

  private record Look(TableState state, long commits, long until) {}

  private final TableRecords records;
  private final LongSupplier nanos;
  private final Map<Location, Look> looks = BoundedMap.ofNewest(TABLES_MOST);

  RecentTables(TableRecords records, LongSupplier nanos) {
    this.records = records;
    this.nanos = nanos;
  }

  @Override
  public Optional<TableState> find(Location root) throws IOException {
    long commits = SharedStates.commits();
    long until = nanos.getAsLong() + NANOS_MOST;
    Optional<TableState> found = records.find(root);
    synchronized (looks) {
      looks.remove(root);
      found
          .filter(state -> state.readers() == Readers.SNAPSHOT)
          .ifPresent(state -> looks.put(root, new Look(state, commits, until)));
    }
    return found;
  }

  /** The snapshot table in this folder, as it was a moment ago, and after this JVM's commits. */
  Optional<TableState> recent(Location root) {
    synchronized (looks) {
      return Optional.ofNullable(looks.get(root))
          .filter(look -> look.commits() == SharedStates.commits())
          .filter(look -> nanos.getAsLong() - look.until() < 0)
          .map(Look::state);
    }
  }
}
