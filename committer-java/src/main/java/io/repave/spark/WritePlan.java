package io.repave.spark;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.follow.Locations;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.Setting;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.footer.FileOrder;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.command.CreateDataSourceTableAsSelectCommand;
import org.apache.spark.sql.execution.command.DataWritingCommandExec;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.runtime.BoxedUnit;

/**
 * What the plan of the running query says about a write. If the folder of a static overwrite does
 * not exist, Spark does not ask to delete it, and its calls look like those of an append. Then two
 * such writes, or a dead one and its retry, would both keep their rows. Only the plan shows the
 * difference.
 *
 * <p>A query may contain several writes ({@code FROM … INSERT … INSERT …}). Spark runs them one
 * after another, in the order of the plan, so writes to the same path are distinguished by
 * counting.
 */
final class WritePlan implements RunTokens.Statement {
  private static final Logger LOG = LoggerFactory.getLogger(WritePlan.class);

  /** The number of writes to each path that a query has begun. */
  private static final Map<QueryExecution, Map<String, Integer>> BEGUN = new WeakHashMap<>();

  private final Optional<InsertIntoHadoopFsRelationCommand> insert;
  private final Optional<CatalogTable> entry;
  private final Supplier<List<DataWritingCommandExec>> physical;

  private WritePlan(
      Optional<InsertIntoHadoopFsRelationCommand> insert,
      Optional<CatalogTable> entry,
      Supplier<List<DataWritingCommandExec>> physical) {
    this.insert = insert;
    this.entry = entry;
    this.physical = physical;
  }

  /**
   * Refuses a write that Spark skips without a call when the data is there: the writes of a run are
   * told apart by counting.
   */
  void requireCountable(TableAccess access) throws InvalidConfigException {
    if (insert.filter(WritePlan::maySkip).isPresent()) {
      throw WriteErrors.skippedOnRetry(access.root());
    }
  }

  /** Refuses a token that the catalog gives to every write of a table. */
  void requireNoStoredToken() throws InvalidConfigException {
    if (insert.isEmpty() || insert.get().catalogTable().isEmpty()) {
      return;
    }
    CatalogTable table = insert.get().catalogTable().get();
    Option<String> token = table.storage().properties().get(Setting.TOKEN.key());
    if (token.isDefined() && !token.get().isEmpty()) {
      throw WriteErrors.tokenInCatalog(table.identifier().unquotedString(), token.get());
    }
  }

  private static boolean maySkip(InsertIntoHadoopFsRelationCommand insert) {
    return insert.ifPartitionNotExists() || insert.mode() == SaveMode.Ignore;
  }

  private static WritePlan unknown() {
    return new WritePlan(Optional.empty(), Optional.empty(), List::of);
  }

  /**
   * The plan of the running write to a path. It is empty if Spark's plan cannot be read: then only
   * Spark's calls show what the write does. Call it once per write. A statement with several writes
   * to the path is refused if Spark may skip one of them without a call: the writes could not be
   * told apart by counting.
   */
  static WritePlan of(String path) throws InvalidConfigException {
    try {
      Optional<QueryExecution> query = running(SQLExecution.EXECUTION_ID_KEY());
      if (query.isEmpty()) {
        return unknown();
      }
      int begun = begun(query.get(), path);
      List<InsertIntoHadoopFsRelationCommand> writes = writes(query.get(), path);
      if (writes.size() > 1 && writes.stream().anyMatch(WritePlan::maySkip)) {
        throw WriteErrors.insertIfNotExistsBesideOthers(path);
      }
      Optional<InsertIntoHadoopFsRelationCommand> insert = number(begun, writes);
      Option<CatalogTable> named = insert.isEmpty() ? Option.empty() : insert.get().catalogTable();
      Optional<CatalogTable> entry =
          named.isEmpty() ? created(query.get()) : Optional.of(named.get());
      return new WritePlan(
          insert, entry, () -> number(begun, physical(query.get(), path)).stream().toList());
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Spark's plan does not show what kind of write to {} this is.", path, e);
      return unknown();
    }
  }

  /** Whether another write puts the same rows into the same folders. False if that is not known. */
  @Override
  public boolean isSameAs(RunTokens.Statement other) {
    if (insert.isEmpty() || !(other instanceof WritePlan plan) || plan.insert.isEmpty()) {
      return false;
    }
    InsertIntoHadoopFsRelationCommand one = insert.get();
    InsertIntoHadoopFsRelationCommand two = plan.insert.get();
    return one.outputPath().equals(two.outputPath())
        && one.mode() == two.mode()
        && one.dynamicPartitionOverwrite() == two.dynamicPartitionOverwrite()
        && one.staticPartitions().equals(two.staticPartitions())
        && one.query().sameResult(two.query());
  }

  /** The folders that this write overwrites as a whole; empty for an append. */
  List<Path> overwrittenFolders() {
    return insert.isPresent() && insert.get().mode() == SaveMode.Overwrite ? folders() : List.of();
  }

  /** The folders of the static partition values in the statement; empty without such values. */
  List<Path> staticFolders() {
    return insert.isPresent() && !insert.get().staticPartitions().isEmpty() ? folders() : List.of();
  }

  private List<Path> folders() {
    try {
      PlannedFolders planned = new PlannedFolders(insert.get());
      List<Path> all = new ArrayList<>(List.of(planned.ofStatement()));
      all.addAll(planned.ofCatalog(SparkSession.active()));
      return all;
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Spark's plan does not show which partitions this write replaces.", e);
      return List.of();
    }
  }

  /**
   * Refuses a write to a snapshot table by a name in the catalog whose location readers list. They
   * would read replaced and unpublished files.
   */
  void requireReadableEntry(TableAccess access, Readers readers) throws InvalidConfigException {
    if (entry.isEmpty() || readers != Readers.SNAPSHOT) {
      return;
    }
    Option<URI> location = entry.get().storage().locationUri();
    String name = entry.get().identifier().unquotedString();
    if (location.isDefined() && RepaveFileSystem.SCHEME.equals(location.get().getScheme())) {
      if (insert.isPresent() && insert.get().catalogTable().isEmpty() && isPartitioned()) {
        throw WriteErrors.partitionedCreateAsSelect(name);
      }
      return;
    }
    throw WriteErrors.catalogListsSnapshotTable(name, access.root());
  }

  /** A catalog that follows a table without partitions has the folder of one commit. */
  void requireNoVersionFolder(TableAccess access) throws InvalidConfigException {
    Location root = access.root();
    if (Locations.isOfCatalog(root)) {
      String name = entry.map(it -> it.identifier().unquotedString()).orElse(root.key());
      throw WriteErrors.catalogListsSnapshotTable(name, root.parent());
    }
  }

  /** Refuses a write whose rows do not come in the order that its files must have. */
  void requireOrder(TableAccess access) throws InvalidConfigException {
    FileOrder order = access.settings().order();
    if (order.isEmpty()) {
      return;
    }
    try {
      for (DataWritingCommandExec write : physical.get()) {
        new DeliveredOrder(write).require(order, access.root());
        return;
      }
      LOG.warn("Spark's plan has no write to {}, so only its files are checked.", access.root());
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Only the files of {} are checked, not Spark's plan.", access.root(), e);
    }
  }

  private boolean isPartitioned() {
    return !PlanNodes.list(entry.get(), "partitionColumnNames").isEmpty();
  }

  /** The table that a CREATE TABLE AS SELECT around this write creates. */
  private static Optional<CatalogTable> created(QueryExecution query) {
    QueryExecution root = running(SQLExecution.EXECUTION_ROOT_ID_KEY()).orElse(query);
    return Stream.of(query, root)
        .flatMap(it -> nodes(it, CreateDataSourceTableAsSelectCommand.class).stream())
        .map(CreateDataSourceTableAsSelectCommand::table)
        .findFirst();
  }

  /** The write of the plan's writes to one path before which the query began so many. */
  private static <T> Optional<T> number(int begun, List<T> writes) {
    if (writes.isEmpty()) {
      return Optional.empty();
    }
    if (writes.size() > 1 && begun >= writes.size()) {
      throw new IllegalStateException(
          "The plan has " + writes.size() + " writes, and this is number " + (begun + 1));
    }
    return Optional.of(writes.get(Math.min(begun, writes.size() - 1)));
  }

  private static List<DataWritingCommandExec> physical(QueryExecution query, String path) {
    return PlanNodes.writes(query.executedPlan()).stream()
        .filter(
            it ->
                it.cmd() instanceof InsertIntoHadoopFsRelationCommand insert && isTo(insert, path))
        .toList();
  }

  private static boolean isTo(InsertIntoHadoopFsRelationCommand insert, String path) {
    return insert.outputPath().toString().equals(path);
  }

  private static List<InsertIntoHadoopFsRelationCommand> writes(QueryExecution query, String path) {
    return nodes(query, InsertIntoHadoopFsRelationCommand.class).stream()
        .filter(insert -> isTo(insert, path))
        .toList();
  }

  /** The nodes of a kind in a query's plan, in the order of the plan. */
  private static <T> List<T> nodes(QueryExecution query, Class<T> kind) {
    List<T> nodes = new ArrayList<>();
    query
        .analyzed()
        .foreach(
            node -> {
              if (kind.isInstance(node)) {
                nodes.add(kind.cast(node));
              }
              return BoxedUnit.UNIT;
            });
    return nodes;
  }

  /** The number of writes to the path that the query began before this one. */
  private static int begun(QueryExecution query, String path) {
    synchronized (BEGUN) {
      return BEGUN.computeIfAbsent(query, unseen -> new HashMap<>()).merge(path, 1, Integer::sum)
          - 1;
    }
  }

  /** {@code property} names the local property with the id of the execution. */
  private static Optional<QueryExecution> running(String property) {
    Option<SparkSession> session = SparkSession.getActiveSession();
    String id = session.isEmpty() ? null : session.get().sparkContext().getLocalProperty(property);
    return Optional.ofNullable(
        id == null ? null : SQLExecution.getQueryExecution(Long.parseLong(id)));
  }
}
