package io.repave.spark.catalog;

import io.repave.core.error.FollowErrors;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.follow.LocationCatalog;
import io.repave.core.follow.Locations;
import io.repave.core.record.PartitionEscapes;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.read.StorePath;
import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.ProductCopy;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.execution.command.DDLUtils;
import org.apache.spark.sql.execution.datasources.PartitioningUtils;
import org.apache.spark.sql.internal.SessionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * The locations of a table's partitions in the catalog of a session. All that change are altered in
 * one call, which is one transaction of a Hive metastore.
 */
public final class MetastoreLocations implements LocationCatalog {
  private static final Logger LOG = LoggerFactory.getLogger(MetastoreLocations.class);

  private final SessionState state;
  private final ExternalCatalogCalls catalog;

  public MetastoreLocations(SparkSession session) {
    state = (SessionState) ExternalCatalogCalls.part(session, "sessionState");
    catalog = ExternalCatalogCalls.of(session);
  }

  /** Refuses what is not a name of a table in the session's catalog, with its database. */
  public void requireName(String name) throws InvalidConfigException {
    if (!parsed(name).database().isDefined()) {
      throw FollowErrors.badCatalogName(name);
    }
  }

  @Override
  public void move(String name, Locations wanted) throws IOException {
    TableIdentifier id = identifier(name);
    String database = id.database().get();
    if (!catalog.hasTable(database, id.table())) {
      throw CatalogErrors.noCatalogTable(name, wanted.table());
    }
    CatalogTable table = catalog.table(database, id.table());
    requireSame(name, table, wanted.table());
    List<?> columns = PlanNodes.list(table, "partitionColumnNames");
    if (columns.isEmpty()) {
      moveTable(table, wanted);
    } else {
      if (DDLUtils.isDatasourceTable(table) && !table.tracksPartitionsInCatalog()) {
        throw FollowErrors.unusedLocations(name);
      }
      movePartitions(database, table, columns, wanted);
    }
    state.catalog().refreshTable(id);
    LOG.info(
        "The metastore's table {} has version {} of {}: {} locations, {} of them plain folders that"
            + " no commit has overwritten since the table follows",
        name,
        wanted.version(),
        wanted.table(),
        wanted.folders().size(),
        wanted.plain());
  }

  private TableIdentifier identifier(String name) throws InvalidConfigException {
    TableIdentifier given = parsed(name);
    return given.database().isDefined()
        ? given
        : new TableIdentifier(given.table(), Option.apply(state.catalog().getCurrentDatabase()));
  }

  private TableIdentifier parsed(String name) throws InvalidConfigException {
    try {
      return state.sqlParser().parseTableIdentifier(name);
    } catch (ParseException e) {
      throw FollowErrors.badCatalogName(name);
    }
  }

  /**
   * A table at another place is not this one. The location of a table without partitions moves. A
   * table at {@code repave://} reads the newest version by itself, and no folder of a commit.
   */
  private static void requireSame(String name, CatalogTable table, Location root)
      throws InvalidConfigException {
    Option<URI> location = table.storage().locationUri();
    Location at = location.isEmpty() ? null : TableAccess.location(new Path(location.get()));
    boolean here =
        at != null && (at.equals(root) || at.parent().equals(root) && Locations.isOfCatalog(at));
    if (!here || RepaveFileSystem.SCHEME.equals(location.get().getScheme())) {
      throw CatalogErrors.otherCatalogTable(
          name, location.isEmpty() ? "nothing" : location.get(), root);
    }
  }

  private void moveTable(CatalogTable table, Locations wanted) throws InvalidConfigException {
    for (String partition : wanted.folders().keySet()) {
      if (!partition.isEmpty()) {
        throw CatalogErrors.otherPartitionColumns(partition, List.of());
      }
    }
    URI at = uri(table.storage(), wanted.whole());
    if (!at.equals(table.storage().locationUri().get())) {
      catalog.alterTable(
          ProductCopy.with(table, CatalogStorageFormat.class, moved(table.storage(), at)));
    }
  }

  private void movePartitions(
      String database, CatalogTable table, List<?> columns, Locations wanted) throws IOException {
    String name = table.identifier().table();
    Map<List<String>, String> folders = byValues(name, wanted, columns);
    Map<List<String>, CatalogTablePartition> known = new HashMap<>();
    for (CatalogTablePartition each : catalog.partitions(database, name)) {
      known.put(values(each, columns), each);
    }
    List<CatalogTablePartition> added = new ArrayList<>();
    List<CatalogTablePartition> altered = new ArrayList<>();
    for (Map.Entry<List<String>, String> each : folders.entrySet()) {
      URI at = uri(table.storage(), wanted.folders().get(each.getValue()));
      CatalogTablePartition before = known.remove(each.getKey());
      if (before == null) {
        Object spec = PartitioningUtils.parsePathFragment(each.getValue());
        added.add(catalog.partition(spec, moved(table.storage(), at)));
      } else if (!before.storage().locationUri().contains(at)) {
        altered.add(
            ProductCopy.with(before, CatalogStorageFormat.class, moved(before.storage(), at)));
      }
    }
    // New rows first, then the switch of what both have, then what is gone.
    catalog.create(database, name, added);
    catalog.alter(database, name, altered);
    catalog.drop(database, name, List.copyOf(known.values()));
  }

  /** The folders by their values, which name a partition of the catalog. */
  private static Map<List<String>, String> byValues(String name, Locations wanted, List<?> columns)
      throws IOException {
    Map<List<String>, String> folders = new LinkedHashMap<>();
    for (String folder : wanted.folders().keySet()) {
      String other = folders.put(values(folder, columns), folder);
      if (other != null) {
        throw FollowErrors.onePartition(name, other, folder);
      }
    }
    return folders;
  }

  /** The storage of a partition of the table that is in its usual folder. */
  static CatalogStorageFormat usual(CatalogStorageFormat table) {
    return ProductCopy.with(table, Option.class, Option.empty());
  }

  private static CatalogStorageFormat moved(CatalogStorageFormat storage, URI at) {
    return ProductCopy.with(storage, Option.class, Option.apply(at));
  }

  /** The location in the form of the table's own: its engines may know one scheme only. */
  private static URI uri(CatalogStorageFormat storage, Location folder) {
    Option<URI> own = storage.locationUri();
    String scheme = own.isDefined() ? own.get().getScheme() : "s3a";
    return new Path(StorePath.text(scheme, folder)).toUri();
  }

  /** The values of a catalog's partition, in the order of the columns. */
  static List<String> values(CatalogTablePartition partition, List<?> columns) {
    List<String> values = new ArrayList<>();
    for (Object column : columns) {
      values.add(String.valueOf(partition.spec().apply((String) column)));
    }
    return values;
  }

  /** The values in a folder's name, in the order of the columns. */
  static List<String> values(String folder, List<?> columns) throws IOException {
    Map<String, String> named = new HashMap<>();
    for (String segment : folder.split("/")) {
      int equals = segment.indexOf('=');
      if (equals > 0) {
        String column = PartitionEscapes.unescape(segment.substring(0, equals));
        String value = PartitionEscapes.unescape(segment.substring(equals + 1));
        named.put(column.toLowerCase(Locale.ROOT), value);
      }
    }
    List<String> values = new ArrayList<>();
    for (Object column : columns) {
      values.add(named.get(column.toString().toLowerCase(Locale.ROOT)));
    }
    if (values.contains(null) || named.size() != columns.size()) {
      throw CatalogErrors.otherPartitionColumns(folder, columns);
    }
    return values;
  }
}
