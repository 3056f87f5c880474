package io.repave.hadoop.read;

import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * The tables below a folder that is listed as a whole, by the heads in the listing. Spark 4 lists
 * so for {@code recursiveFileLookup}.
 */
final class InnerTables {
  /** The outermost tables, by the prefix of their keys. */
  private final TreeMap<String, Location> tables = new TreeMap<>();

  InnerTables(Collection<Location> listed) {
    List<Location> found = new ArrayList<>();
    for (Location file : listed) {
      Location table = file.parent().parent();
      // A folder key=value is a partition of a table, never a table.
      if (new TablePaths(table).head().equals(file) && TablePaths.of(table).root().equals(table)) {
        found.add(table);
      }
    }
    found.sort((one, other) -> one.prefix().compareTo(other.prefix()));
    for (Location table : found) {
      if (!hold(table)) {
        tables.put(table.prefix(), table);
      }
    }
  }

  /** Whether one of the tables is around this location. */
  boolean hold(Location at) {
    String nearest = tables.floorKey(at.key());
    return nearest != null && at.key().startsWith(nearest);
  }

  Collection<Location> all() {
    return tables.values();
  }
}
