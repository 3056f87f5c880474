package io.repave.hadoop.read;

import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Remembers the last look at each snapshot table. It answers the questions that Spark asks before
 * it lists a path: whether it exists, whether it is a folder, and whether a streaming query wrote
 * it. Only the answer that something exists may come from such a look. A listing never does, so a
 * query sees each commit that ended before it.
 */
final class RecentTables implements TableRecords {
  private static final int TABLES_MOST = 64;

  private record Seen(TableState state, long commits) {}

  private final TableRecords records;
  private final RecentLooks<Location, Seen> looks;

  RecentTables(TableRecords records, LongSupplier nanos) {
    this.records = records;
    looks = new RecentLooks<>(TABLES_MOST, nanos);
  }

  @Override
  public Optional<TableState> find(Location root) throws IOException {
    long commits = SharedStates.commits();
    long until = looks.until();
    Optional<TableState> found = records.find(root);
    Optional<Seen> seen =
        found
            .filter(state -> state.readers() == Readers.SNAPSHOT)
            .map(state -> new Seen(state, commits));
    looks.keep(root, seen, until);
    return found;
  }

  @Override
  public void requireHeadNotDeleted(Location root) throws IOException {
    records.requireHeadNotDeleted(root);
  }

  /** The snapshot table in this folder, as it was a moment ago, and after this JVM's commits. */
  Optional<TableState> recent(Location root) {
    return looks
        .find(root)
        .filter(seen -> seen.commits() == SharedStates.commits())
        .map(Seen::state);
  }
}
