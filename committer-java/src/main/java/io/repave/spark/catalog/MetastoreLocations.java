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
import io.repave.spark.bridge.ProductCopy;
import io.repave.spark.bridge.ScalaMembers;
import io.repave.spark.bridge.SessionParts;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.catalyst.catalog.CatalogTableType;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.execution.command.DDLUtils;
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
  private final boolean beginning;

  public MetastoreLocations(SparkSession session) {
    this(session, false);
  }

  private MetastoreLocations(SparkSession session, boolean beginning) {
    this.beginning = beginning;
    state = SessionParts.state(session);
    catalog = ExternalCatalogCalls.of(session);
  }

  /** For the call that lets a table follow. No other one may mark a table. */
  public static MetastoreLocations beginning(SparkSession session) {
    return new MetastoreLocations(session, true);
  }

  /**
   * Refuses a name without the database of the session's catalog, and a managed table, before
   * anything is changed.
   */
  public void requireFollowable(String name) throws InvalidConfigException {
    if (!parsed(name).database().isDefined()) {
      throw FollowErrors.badCatalogName(name);
    }
    TableIdentifier id = identifier(name);
    String database = id.database().get();
    if (catalog.hasTable(database, id.table())) {
      requireExternal(name, catalog.table(database, id.table()));
    }
  }

  /** The catalog deletes the folder of a managed table when it drops it. */
  static void requireExternal(String name, CatalogTable table) throws InvalidConfigException {
    if (isManaged(table)) {
      throw CatalogErrors.managedTable(name, location(table));
    }
    Optional<HiveProperty> property = HiveProperty.of(table);
    if (property.isPresent()) {
      throw CatalogErrors.changedByHive(name, location(table), property.get());
    }
  }

  /** It follows already, and its readers need the newest version. */
  private static void warn(String name, CatalogTable table) {
    if (isManaged(table)) {
      LOG.warn(CatalogErrors.managedFollower(name, location(table)));
    }
    HiveProperty.of(table)
        .ifPresent(it -> LOG.warn(CatalogErrors.followerChangedByHive(name, location(table), it)));
  }

  private static boolean isManaged(CatalogTable table) {
    return table.tableType().equals(CatalogTableType.MANAGED());
  }

  private static Object location(CatalogTable table) {
    Option<URI> location = table.storage().locationUri();
    return location.isEmpty() ? "nothing" : location.get();
  }

  /** Refuses a catalog in which a follower that another catalog has cannot be moved. */
  public void requireFollowing(String name, Locations wanted) throws InvalidConfigException {
    TableIdentifier id = identifier(name);
    if (!wanted.follower().begins() || catalog.hasTable(id.database().get(), id.table())) {
      found(name, id, wanted);
    }
  }

  private CatalogTable found(String name, TableIdentifier id, Locations wanted)
      throws InvalidConfigException {
    String database = id.database().get();
    if (!catalog.hasTable(database, id.table())) {
      throw CatalogErrors.noCatalogTable(name, wanted.table());
    }
    CatalogTable table = catalog.table(database, id.table());
    requireSame(name, table, wanted.table());
    if (!beginning || !wanted.follower().begins()) {
      FollowerMark.require(name, table, wanted);
    }
    if (wanted.follower().begins()) {
      requireExternal(name, table);
    } else {
      warn(name, table);
    }
    return table;
  }

  @Override
  public void move(String name, Locations wanted) throws IOException {
    TableIdentifier id = identifier(name);
    CatalogTable table = found(name, id, wanted);
    List<String> plainAgain;
    List<?> columns = ScalaMembers.partitionColumns(table);
    if (columns.isEmpty()) {
      plainAgain = moveTable(table, wanted);
    } else {
      if (DDLUtils.isDatasourceTable(table) && !table.tracksPartitionsInCatalog()) {
        throw FollowErrors.unusedLocations(name);
      }
      if (!FollowerMark.isOn(table, wanted)) {
        catalog.alterTable(FollowerMark.on(table, wanted));
      }
      plainAgain = new PartitionMove(catalog, table, wanted).run();
    }
    if (!plainAgain.isEmpty()) {
      LOG.warn(FollowErrors.plainAgain(name, plainAgain));
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
    if (!here || RepaveFileSystem.isPath(location.get())) {
      throw CatalogErrors.otherCatalogTable(name, location(table), root);
    }
  }

  private List<String> moveTable(CatalogTable table, Locations wanted)
      throws InvalidConfigException {
    for (String partition : wanted.folders().keySet()) {
      if (!partition.isEmpty()) {
        throw CatalogErrors.otherPartitionColumns(
            table.identifier().unquotedString(), partition, List.of());
      }
    }
    URI at = uri(table.storage(), wanted.whole());
    if (!at.equals(table.storage().locationUri().get()) || !FollowerMark.isOn(table, wanted)) {
      CatalogTable marked = FollowerMark.on(table, wanted);
      catalog.alterTable(
          ProductCopy.with(marked, CatalogStorageFormat.class, moved(table.storage(), at)));
    }
    boolean left = Locations.isOfCatalog(new Path(table.storage().locationUri().get()).getName());
    boolean plainAgain = !wanted.follower().begins() && left && wanted.isPlain("");
    return plainAgain ? List.of("") : List.of();
  }

  /** The storage of a partition of the table that is in its usual folder. */
  static CatalogStorageFormat usual(CatalogStorageFormat table) {
    return ProductCopy.with(table, Option.class, Option.empty());
  }

  static CatalogStorageFormat moved(CatalogStorageFormat storage, URI at) {
    return ProductCopy.with(storage, Option.class, Option.apply(at));
  }

  /** The location in the form of the table's own: its engines may know one scheme only. */
  static URI uri(CatalogStorageFormat storage, Location folder) {
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
  static List<String> values(CatalogTable table, String folder, List<?> columns)
      throws IOException {
    Map<String, String> named = PartitionEscapes.values(folder);
    List<String> escaped = new ArrayList<>();
    for (Object column : columns) {
      escaped.add(named.get(column.toString().toLowerCase(Locale.ROOT)));
    }
    if (escaped.contains(null) || named.size() != columns.size()) {
      throw CatalogErrors.otherPartitionColumns(
          table.identifier().unquotedString(), folder, columns);
    }
    return escaped.stream().map(PartitionEscapes::unescape).toList();
  }
}
