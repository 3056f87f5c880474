package io.repave.hadoop.read;

import io.repave.core.engine.BoundedMap;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * One look at a snapshot table's head for the partitions that one query lists one by one, as it
 * does for a table in a catalog. The look was taken after the query began, so the query sees every
 * commit that ended before it.
 *
 * <p>A query may consist of several reads, with writes in between. So a look is not used again for
 * the same folder, after a commit that the same work made, or after the time that the query's scope
 * names. A commit that another thread made meanwhile does not count: with a new look the query
 * would read some folders at one version, and the others at the next.
 */
public final class SharedStates {
  private static final int TABLES_MOST = 64;
  private static final RecentCommits COMMITS = new RecentCommits();

  private record Key(String scope, Location table) {}

  private record Look(TableState state, long commits, long until, Set<Location> folders) {}

  /** What a query knows of a table. Threads that hold it wait for one look. */
  private static final class Slot {
    private Optional<Look> look = Optional.empty();
    private volatile boolean shared = true;
  }

  private final TableRecords records;
  private final ReadScope scope;
  private final LongSupplier nanos;
  private final Map<Key, Slot> slots = BoundedMap.ofNewest(TABLES_MOST);

  SharedStates(TableRecords records, ReadScope scope, LongSupplier nanos) {
    this.records = records;
    this.scope = scope;
    this.nanos = nanos;
  }

  /** Shares within the queries of the engine in whose JVM this runs. */
  static SharedStates ofQueries(TableRecords records) {
    return new SharedStates(records, EngineScope.FOUND, System::nanoTime);
  }

  /** A commit of this JVM has ended: later reads of the work that made it must see it. */
  public static void committed() {
    committed(EngineScope.FOUND.current().map(ReadScope.Query::work));
  }

  static void committed(Optional<String> work) {
    COMMITS.add(work);
  }

  /** The number of commits of this JVM that have ended. */
  static long commits() {
    return COMMITS.number();
  }

  /** Whether a listing is for a stream, which recognizes files by their paths. */
  boolean isForStream() {
    return scope.isStream();
  }

  /** The state of a table, for listing one of its folders. */
  Optional<TableState> find(Location table, Location folder) throws IOException {
    Optional<ReadScope.Query> query = scope.current();
    if (query.isEmpty()) {
      return records.find(table);
    }
    Slot slot = slot(new Key(query.get().name(), table));
    return slot.shared ? find(table, folder, query.get(), slot) : records.find(table);
  }

  private Slot slot(Key key) {
    synchronized (slots) {
      return slots.computeIfAbsent(key, unknown -> new Slot());
    }
  }

  private Optional<TableState> find(
      Location table, Location folder, ReadScope.Query query, Slot slot) throws IOException {
    synchronized (slot) {
      Optional<Look> known = slot.look.filter(look -> isUsable(look, query));
      if (known.isPresent() && known.get().folders().add(folder)) {
        return Optional.of(known.get().state());
      }
      slot.look = Optional.empty();
      long commits = COMMITS.number();
      long until = nanos.getAsLong() + query.shares().toNanos();
      Optional<TableState> state = records.find(table);
      // A listing table needs a new look for each listing.
      slot.shared = state.filter(it -> it.readers() == Readers.SNAPSHOT).isPresent();
      if (slot.shared) {
        Set<Location> folders = new HashSet<>(Set.of(folder));
        slot.look = Optional.of(new Look(state.get(), commits, until, folders));
      }
      return state;
    }
  }

  private boolean isUsable(Look look, ReadScope.Query query) {
    return COMMITS.last(query.work()) <= look.commits() && nanos.getAsLong() - look.until() < 0;
  }
}
