package io.repave.spark.write;

import io.repave.core.engine.OwnRead;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.follow.Locations;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.Setting;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.footer.FileOrder;
import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.ScalaMembers;
import io.repave.spark.catalog.RestoredPartitions;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.command.DataWritingCommandExec;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * What the plan of the running query says about a write. If the folder of a static overwrite does
 * not exist, Spark does not ask to delete it, and its calls look like those of an append. Then two
 * such writes, or a dead one and its retry, would both keep their rows. Only the plan shows the
 * difference.
 */
public final class WritePlan {
  private static final Logger LOG = LoggerFactory.getLogger(WritePlan.class);

  /** Spark numbers its executions from 0. */
  private static final long NO_EXECUTION = -1;

  private final long execution;
  private final Optional<InsertIntoHadoopFsRelationCommand> insert;

  /** All writes of the statement to the path. */
  private final List<InsertIntoHadoopFsRelationCommand> inserts;

  private final Optional<TableCommandPlan> around;
  private final Supplier<Optional<DataWritingCommandExec>> physical;
  private final Supplier<Optional<DataWritingCommandExec>> atFirst;

  private WritePlan(
      long execution,
      Optional<InsertIntoHadoopFsRelationCommand> insert,
      List<InsertIntoHadoopFsRelationCommand> inserts,
      Optional<TableCommandPlan> around,
      Supplier<Optional<DataWritingCommandExec>> physical,
      Supplier<Optional<DataWritingCommandExec>> atFirst) {
    this.execution = execution;
    this.insert = insert;
    this.inserts = inserts;
    this.around = around;
    this.physical = physical;
    this.atFirst = atFirst;
  }

  /**
   * Refuses a statement with several writes to the path, of which Spark may skip one without a
   * call: they could not be told apart by counting.
   */
  public void requireDistinct(TableAccess access) throws InvalidConfigException {
    if (inserts.size() > 1 && inserts.stream().anyMatch(WritePlan::maySkip)) {
      throw WriteErrors.insertIfNotExistsBesideOthers(access.root());
    }
  }

  /** Refuses a token for a statement with several writes to the path: it names one write. */
  public void requireOneWrite(TableAccess access) throws InvalidConfigException {
    if (inserts.size() > 1) {
      throw WriteErrors.severalWritesWithToken(access.root());
    }
  }

  /** The value that the program gives to this write; a value of the catalog's table is not one. */
  Optional<String> option(String key) {
    Option<String> value = insert.isEmpty() ? Option.empty() : insert.get().options().get(key);
    return value.isEmpty() || stored(key).equals(value)
        ? Optional.empty()
        : Optional.of(value.get());
  }

  private Option<String> stored(String key) {
    return insert.get().catalogTable().isEmpty()
        ? Option.empty()
        : insert.get().catalogTable().get().storage().properties().get(key);
  }

  /** Options of the program that Spark does not pass to the write. */
  Map<String, String> optionsNotPassed() {
    return around.map(TableCommandPlan::options).orElse(Map.of());
  }

  /**
   * Refuses a write that Spark skips without a call when the data is there: the writes of a run are
   * told apart by counting.
   */
  public void requireCountable(TableAccess access) throws InvalidConfigException {
    if (maySkip()) {
      throw WriteErrors.skippedOnRetry(access.root());
    }
  }

  private boolean maySkip() {
    return insert.filter(WritePlan::maySkip).isPresent()
        || around.filter(TableCommandPlan::maySkip).isPresent();
  }

  /** What the catalog gives to every write of this write's table. */
  public Optional<String> storedFor(Setting setting) {
    Option<String> value = insert.isEmpty() ? Option.empty() : stored(setting.key());
    return value.isEmpty() ? Optional.empty() : Optional.of(value.get());
  }

  /** Refuses a token or a run that the catalog gives to every write of a table. */
  public void requireNotStored(Setting setting) throws InvalidConfigException {
    Optional<String> value = storedFor(setting);
    if (value.isPresent() && !value.get().isEmpty()) {
      CatalogTable table = insert.get().catalogTable().get();
      String name = table.identifier().unquotedString();
      throw WriteErrors.storedInCatalog(name, setting.key(), value.get());
    }
  }

  private static boolean maySkip(InsertIntoHadoopFsRelationCommand insert) {
    return insert.ifPartitionNotExists() || insert.mode() == SaveMode.Ignore;
  }

  private static WritePlan unknown(long execution) {
    return new WritePlan(
        execution, Optional.empty(), List.of(), Optional.empty(), Optional::empty, Optional::empty);
  }

  /**
   * The plan of the running write to a path. It is empty if Spark's plan cannot be read: then only
   * Spark's calls show what the write does. Call it once per write.
   */
  public static WritePlan of(String path) {
    Optional<RunningQueries> running = RunningQueries.ofThread();
    long execution = running.map(RunningQueries::last).orElse(NO_EXECUTION);
    try {
      Optional<QueryExecution> query = running.flatMap(RunningQueries::writing);
      if (query.isEmpty()) {
        return unknown(execution);
      }
      int begun = QueryWrites.begin(query.get(), path);
      List<InsertIntoHadoopFsRelationCommand> writes = QueryWrites.to(path, query.get());
      Optional<InsertIntoHadoopFsRelationCommand> insert = QueryWrites.number(begun, writes);
      return new WritePlan(
          execution,
          insert,
          writes,
          TableCommandPlan.of(running.get(), insert),
          () -> QueryWrites.physical(PlanNodes.all(query.get().executedPlan()), begun, path),
          () ->
              QueryWrites.physical(PlanNodes.allAtFirst(query.get().executedPlan()), begun, path));
    } catch (RuntimeException | LinkageError e) {
      LOG.warn(
          "Spark's plan of the write to {} cannot be read, so the checks that need it are skipped."
              + " An overwrite of a folder that does not exist is committed as an append. A retry"
              + " does not count as the same write.",
          path,
          e);
      return unknown(execution);
    }
  }

  /**
   * The writes that an execution is going to make. Not those that Spark leaves out or refuses if
   * the data is there: that is no failure.
   */
  public static List<WritePlan> planned(RunningQueries running) {
    return running.writing().stream()
        .flatMap(query -> QueryWrites.of(query).stream())
        .filter(insert -> insert.mode() != SaveMode.ErrorIfExists)
        .map(Optional::of)
        .map(
            insert ->
                new WritePlan(
                    running.last(),
                    insert,
                    insert.stream().toList(),
                    TableCommandPlan.of(running, insert),
                    Optional::empty,
                    Optional::empty))
        .filter(write -> !write.maySkip())
        .toList();
  }

  /** The target of a planned write, whose commit has no id yet. */
  public WriteTarget target() {
    return new WriteTarget("", insert.get().outputPath().toString(), false);
  }

  /** The configuration that Spark gives to the job of a planned write. */
  public Configuration conf(SparkSession session) {
    return session.sessionState().newHadoopConfWithOptions(insert.get().options());
  }

  /** The execution that writes; a number of none if Spark's plan cannot be read. */
  public long execution() {
    return execution;
  }

  /**
   * What this write does, with the files that it reads as Spark lists them now. If Spark's plan
   * cannot be read, no write is the same.
   */
  public Statement statement() {
    return insert.<Statement>map(InsertStatement::of).orElse(other -> false);
  }

  /** Whether this is an append to a table by its name, which creates the table if it is absent. */
  public boolean appendsByName() {
    return around.filter(TableCommandPlan::appends).isPresent();
  }

  /**
   * The folders that this write overwrites as a whole: that of the statement first, then the
   * partitions of the catalog. Empty for an append. Throws if the look-up in the catalog fails: a
   * partition outside the statement's folder would keep its old rows, and it would not be known
   * which partitions Spark removes from the catalog.
   */
  public List<Path> overwrittenFolders() throws CommitFailedException {
    if (insert.isEmpty() || insert.get().mode() != SaveMode.Overwrite) {
      return List.of();
    }
    PlannedFolders planned = new PlannedFolders(insert.get());
    try {
      return planned.all(SparkSession.active());
    } catch (Exception | LinkageError e) {
      throw WriteErrors.catalogNotRead(planned.ofStatement(), e);
    }
  }

  /**
   * Those of the overwritten folders that Spark removes from the catalog after the write, unless a
   * task wrote to them. These are all folders of the catalog, except when the statement names one
   * partition.
   */
  public List<Path> removedFromCatalog(List<Path> overwritten) {
    return overwritten.isEmpty() || new PlannedFolders(insert.get()).isOnePartition()
        ? List.of()
        : overwritten.subList(1, overwritten.size());
  }

  /** For a write by the name of a table whose partitions are in the catalog. */
  public Optional<RestoredPartitions> restoredPartitions() {
    return insert
        .filter(it -> new PlannedFolders(it).isByCatalog(SparkSession.active()))
        .map(it -> new RestoredPartitions(SparkSession.active(), it.catalogTable().get()));
  }

  /**
   * The folders of the static partition values in the statement. Empty without such values, and if
   * the look-up in the catalog fails: then a partition may be in any folder.
   */
  public List<Path> staticFolders() {
    if (insert.isEmpty() || insert.get().staticPartitions().isEmpty()) {
      return List.of();
    }
    PlannedFolders planned = new PlannedFolders(insert.get());
    try {
      return planned.all(SparkSession.active());
    } catch (Exception | LinkageError e) {
      // Spark's catalogs throw checked exceptions that they do not declare.
      LOG.warn(
          "The catalog's partitions of a write to {} could not be looked up. The write waits for"
              + " the unfinished commits of the whole table.",
          planned.ofStatement(),
          e);
      return List.of();
    }
  }

  /**
   * Refuses a write to a snapshot table by a name in the catalog whose location readers list. They
   * would read replaced and unpublished files.
   */
  public void requireReadableEntry(TableAccess access, Readers readers)
      throws InvalidConfigException {
    Optional<CatalogTable> entry = entry();
    if (entry.isEmpty() || readers != Readers.SNAPSHOT) {
      return;
    }
    Option<URI> location = entry.get().storage().locationUri();
    String name = entry.get().identifier().unquotedString();
    if (location.isDefined() && RepaveFileSystem.isPath(location.get())) {
      if (insert.isPresent()
          && insert.get().catalogTable().isEmpty()
          && isPartitioned(entry.get())) {
        throw WriteErrors.partitionedCreateAsSelect(name);
      }
      return;
    }
    throw WriteErrors.catalogListsSnapshotTable(name, access.root());
  }

  /** A catalog that follows a table without partitions has the folder of one commit. */
  public void requireNoVersionFolder(TableAccess access) throws InvalidConfigException {
    Location root = access.root();
    if (Locations.isOfCatalog(root)) {
      String name = entry().map(it -> it.identifier().unquotedString()).orElse(root.key());
      throw WriteErrors.catalogListsSnapshotTable(name, root.parent());
    }
  }

  /** Refuses a write whose rows do not come in the order that its files must have. */
  public void requireOrder(TableAccess access) throws InvalidConfigException {
    FileOrder order = access.settings().order();
    if (order.isEmpty()) {
      return;
    }
    try {
      Optional<DataWritingCommandExec> write = physical.get();
      if (write.isPresent()) {
        new DeliveredOrder(write.get()).require(order, access.root());
      } else {
        LOG.warn("Spark's plan has no write to {}, so only its files are checked.", access.root());
      }
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Only the files of {} are checked, not Spark's plan.", access.root(), e);
    }
  }

  /**
   * What the query of this write reads of its own table; nothing where Spark's plan is not known.
   */
  public List<OwnRead> ownReads(Location table) {
    try {
      List<SparkPlan> plans =
          Stream.of(physical, atFirst)
              .flatMap(it -> it.get().stream())
              .map(DataWritingCommandExec::child)
              .toList();
      return OwnScans.of(plans, table);
    } catch (RuntimeException | LinkageError e) {
      LOG.warn(
          "Spark's plan does not show which files of {} this write reads. Conflicts with rows that"
              + " its query has read are not detected.",
          table,
          e);
      return List.of();
    }
  }

  private static boolean isPartitioned(CatalogTable table) {
    return !ScalaMembers.partitionColumns(table).isEmpty();
  }

  /** The catalog's table of this write, or the one that a command around it creates. */
  private Optional<CatalogTable> entry() {
    return insert.isPresent() && insert.get().catalogTable().isDefined()
        ? Optional.of(insert.get().catalogTable().get())
        : around.map(TableCommandPlan::table);
  }
}
