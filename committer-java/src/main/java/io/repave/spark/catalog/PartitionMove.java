package io.repave.spark.catalog;

import io.repave.core.error.FollowErrors;
import io.repave.core.follow.Locations;
import io.repave.spark.bridge.ProductCopy;
import io.repave.spark.bridge.ScalaMaps;
import io.repave.spark.bridge.ScalaMembers;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.execution.datasources.PartitioningUtils;

/**
 * Gives the partitions of a catalog's table their locations at a version. Calls of the catalog: 1
 * list, and 1 each if partitions are new, have another location, or are gone.
 */
final class PartitionMove {
  /** So often it begins again because another process creates the same partitions. */
  private static final int ROUNDS_MOST = 10;

  /** Not the sizes: without them a metastore lists the folder of each partition that moves. */
  private static final Set<String> STATISTICS =
      Set.of("COLUMN_STATS_ACCURATE", "numRows", "rawDataSize");

  private final ExternalCatalogCalls catalog;
  private final CatalogTable table;
  private final Locations wanted;
  private final String database;
  private final String name;
  private final List<?> columns;
  private final PartitionValues types;

  PartitionMove(ExternalCatalogCalls catalog, CatalogTable table, Locations wanted) {
    this.catalog = catalog;
    this.table = table;
    this.wanted = wanted;
    this.database = table.identifier().database().get();
    this.name = table.identifier().table();
    this.columns = ScalaMembers.partitionColumns(table);
    this.types = new PartitionValues(table, columns);
  }

  /** Returns the partitions that a rollback has put back into their plain folders. */
  List<String> run() throws IOException {
    Map<List<String>, String> folders = byValues();
    Map<List<String>, CatalogTablePartition> known = known();
    types.requireOfTheirTypes(folders, known.keySet());
    List<String> plainAgain = plainAgain(folders, known);
    for (int round = 1; true; round++) {
      Map<List<String>, CatalogTablePartition> added = added(folders, known);
      // New rows first, then the switch of what both have, then what is gone.
      try {
        catalog.createNew(database, name, List.copyOf(added.values()));
        break;
      } catch (Exception e) {
        // Of any kind. A partition that another process has created may have an older location.
        known = known();
        if (round == ROUNDS_MOST || Collections.disjoint(known.keySet(), added.keySet())) {
          throw e;
        }
      }
    }
    catalog.alter(database, name, altered(folders, known));
    Set<List<String>> kept = folders.keySet();
    catalog.drop(
        database,
        name,
        known.entrySet().stream()
            .filter(it -> !kept.contains(it.getKey()))
            .map(Map.Entry::getValue)
            .toList());
    return plainAgain;
  }

  private Map<List<String>, CatalogTablePartition> known() {
    Map<List<String>, CatalogTablePartition> known = new HashMap<>();
    for (CatalogTablePartition each : catalog.partitions(database, name)) {
      known.put(MetastoreLocations.values(each, columns), each);
    }
    return known;
  }

  private Map<List<String>, CatalogTablePartition> added(
      Map<List<String>, String> folders, Map<List<String>, CatalogTablePartition> known) {
    Map<List<String>, CatalogTablePartition> added = new LinkedHashMap<>();
    folders.forEach(
        (values, folder) -> {
          if (!known.containsKey(values)) {
            Object spec = PartitioningUtils.parsePathFragment(folder);
            added.put(
                values,
                catalog.partition(spec, MetastoreLocations.moved(table.storage(), uri(folder))));
          }
        });
    return added;
  }

  /** Those with another location. */
  private List<CatalogTablePartition> altered(
      Map<List<String>, String> folders, Map<List<String>, CatalogTablePartition> known) {
    List<CatalogTablePartition> altered = new ArrayList<>();
    folders.forEach(
        (values, folder) -> {
          CatalogTablePartition before = known.get(values);
          URI at = uri(folder);
          if (before != null && !before.storage().locationUri().contains(at)) {
            altered.add(movedTo(at, before));
          }
        });
    return altered;
  }

  /** Its statistics are of other files, and Hive 2 counts rows by them without reading any. */
  private static CatalogTablePartition movedTo(URI at, CatalogTablePartition before) {
    return (CatalogTablePartition)
        ProductCopy.created(
            CatalogTablePartition.class,
            before.spec(),
            MetastoreLocations.moved(before.storage(), at),
            ScalaMaps.without(before.parameters(), PartitionMove::isStatistic),
            before.createTime(),
            before.lastAccessTime());
  }

  private static boolean isStatistic(String parameter) {
    return STATISTICS.contains(parameter) || parameter.startsWith("spark.sql.statistics.");
  }

  /**
   * The partitions that leave the folder of a commit for their plain folder. After the first move
   * only a rollback does that, and only a rollback adds partitions in plain folders.
   */
  private List<String> plainAgain(
      Map<List<String>, String> folders, Map<List<String>, CatalogTablePartition> known) {
    List<String> again = new ArrayList<>();
    if (wanted.follower().begins()) {
      return again;
    }
    folders.forEach(
        (values, folder) -> {
          CatalogTablePartition before = known.get(values);
          boolean left =
              before == null
                  || before.storage().locationUri().isDefined()
                      && Locations.isOfCatalog(
                          new Path(before.storage().locationUri().get()).getName());
          if (left && wanted.isPlain(folder)) {
            again.add(folder);
          }
        });
    return again;
  }

  private URI uri(String folder) {
    return MetastoreLocations.uri(table.storage(), wanted.folders().get(folder));
  }

  /** The folders by their values, which name a partition of the catalog. */
  private Map<List<String>, String> byValues() throws IOException {
    Map<List<String>, String> folders = new LinkedHashMap<>();
    for (String folder : wanted.folders().keySet()) {
      String other = folders.put(MetastoreLocations.values(table, folder, columns), folder);
      if (other != null) {
        throw FollowErrors.onePartition(name, other, folder);
      }
    }
    return folders;
  }
}
