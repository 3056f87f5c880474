package io.repave.hadoop.read;

import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import java.util.Collection;
import java.util.Comparator;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The tables below a folder that is listed as a whole, by the heads in the listing. Spark 4 lists
 * so for {@code recursiveFileLookup}.
 */
final class TablesInListing {
  /** The outermost tables, by the prefix of their keys. */
  private final TreeMap<String, Location> tables = new TreeMap<>();

  TablesInListing(Stream<Location> listed) {
    listed
        .flatMap(file -> TablePaths.ofHead(file).map(TablePaths::root).stream())
        // A folder key=value is a partition of a table, never a table.
        .filter(table -> TablePaths.of(table).root().equals(table))
        .sorted(Comparator.comparing(Location::prefix))
        .filter(table -> !hold(table))
        .forEachOrdered(table -> tables.put(table.prefix(), table));
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
