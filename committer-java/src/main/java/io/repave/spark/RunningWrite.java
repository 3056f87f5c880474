package io.repave.spark;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.Readers;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.TableAccess;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.command.CreateDataSourceTableAsSelectCommand;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/**
 * The write that Spark is running, as the plan of its query describes it. If the folder of a static
 * overwrite does not exist, Spark asks for nothing to be deleted, and its calls look like those of
 * an append: two such writes, or a dead one and its second run, would both keep their rows. Only
 * the plan tells them apart.
 *
 * <p>One query may hold several writes ({@code FROM … INSERT … INSERT …}). Spark runs them one
 * after another, in the order of the plan, so those to the same path are told apart by counting.
 */
final class RunningWrite {
  private static final Logger LOG = LoggerFactory.getLogger(RunningWrite.class);

  /** How many writes to each path a query has begun. */
  private static final Map<QueryExecution, Map<String, Integer>> BEGUN = new WeakHashMap<>();

  private final Optional<InsertIntoHadoopFsRelationCommand> insert;
  private final Optional<CatalogTable> entry;

  private RunningWrite(
      Optional<InsertIntoHadoopFsRelationCommand> insert, Optional<CatalogTable> entry) {
    this.insert = insert;
    this.entry = entry;
  }

  /**
   * The running write to a path. If the plan cannot be read, nothing is known: then Spark's calls
   * alone say what the write is. Call it once for each write.
   */
  static RunningWrite to(String path) {
    try {
      Optional<QueryExecution> query = running(SQLExecution.EXECUTION_ID_KEY());
      if (query.isEmpty()) {
        return new RunningWrite(Optional.empty(), Optional.empty());
      }
      Optional<InsertIntoHadoopFsRelationCommand> insert = next(query.get(), path);
      Option<CatalogTable> named = insert.isEmpty() ? Option.empty() : insert.get().catalogTable();
      Optional<CatalogTable> entry =
          named.isEmpty() ? created(query.get()) : Optional.of(named.get());
      return new RunningWrite(insert, entry);
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Spark's plan does not tell what kind of write to {} this is.", path, e);
      return new RunningWrite(Optional.empty(), Optional.empty());
    }
  }

  /** The folder at or below the path that this write overwrites; empty for an append. */
  Optional<Path> overwrites() {
    return insert.isPresent() && insert.get().mode() == SaveMode.Overwrite
        ? folder()
        : Optional.empty();
  }

  private Optional<Path> folder() {
    try {
      return Optional.of(folder(insert.get()));
    } catch (RuntimeException | ReflectiveOperationException | LinkageError e) {
      LOG.warn("Spark's plan does not tell which partitions this write replaces.", e);
      return Optional.empty();
    }
  }

  /**
   * Refuses a write to a snapshot table by a catalog name whose location readers list: they would
   * see replaced and unpublished files as rows.
   */
  void requireReadableEntry(TableAccess access) throws InvalidConfigException {
    if (entry.isEmpty() || access.settings().readers() != Readers.SNAPSHOT) {
      return;
    }
    Option<URI> location = entry.get().storage().locationUri();
    String name = entry.get().identifier().unquotedString();
    if (location.isDefined() && RepaveFileSystem.SCHEME.equals(location.get().getScheme())) {
      if (insert.isPresent() && insert.get().catalogTable().isEmpty() && isPartitioned()) {
        throw new InvalidConfigException(
            "CREATE TABLE "
                + name
                + " AS SELECT would record the partitions of one version in the catalog, and"
                + " queries would not see later ones. Nothing was written. Create the table"
                + " without AS SELECT first, then INSERT INTO it.");
      }
      return;
    }
    String versioned = RepaveFileSystem.SCHEME + "://" + access.root().bucket() + "/";
    throw new InvalidConfigException(
        "The catalog's table "
            + name
            + " lists the files of "
            + access.root()
            + ", and repave.readers=snapshot keeps replaced files there, so queries by this name"
            + " would return old and new rows. Nothing was written. Create the table with LOCATION '"
            + versioned
            + access.root().key()
            + "' and write to it by its name, or set repave.readers=listing.");
  }

  /** The folder that the static partition values of the statement lead to; empty without any. */
  Optional<Path> staysWithin() {
    return insert.isPresent() && !insert.get().staticPartitions().isEmpty()
        ? folder()
        : Optional.empty();
  }

  private boolean isPartitioned() {
    return !entry.get().partitionColumnNames().isEmpty();
  }

  /** The table that a CREATE TABLE AS SELECT around this write creates. */
  private static Optional<CatalogTable> created(QueryExecution query) {
    List<CatalogTable> created = new ArrayList<>();
    for (QueryExecution each :
        List.of(query, running(SQLExecution.EXECUTION_ROOT_ID_KEY()).orElse(query))) {
      each.analyzed()
          .foreach(
              node -> {
                if (node instanceof CreateDataSourceTableAsSelectCommand create) {
                  created.add(create.table());
                }
                return BoxedUnit.UNIT;
              });
    }
    return created.stream().findFirst();
  }

  private static Optional<InsertIntoHadoopFsRelationCommand> next(
      QueryExecution query, String path) {
    List<InsertIntoHadoopFsRelationCommand> writes = writes(query, path);
    int begun = begun(query, path);
    if (writes.isEmpty()) {
      return Optional.empty();
    }
    if (writes.size() > 1 && begun >= writes.size()) {
      throw new IllegalStateException(
          "It names " + writes.size() + " writes, and this is number " + (begun + 1));
    }
    return Optional.of(writes.get(Math.min(begun, writes.size() - 1)));
  }

  private static List<InsertIntoHadoopFsRelationCommand> writes(QueryExecution query, String path) {
    List<InsertIntoHadoopFsRelationCommand> writes = new ArrayList<>();
    query
        .analyzed()
        .foreach(
            node -> {
              if (node instanceof InsertIntoHadoopFsRelationCommand write
                  && write.outputPath().toString().equals(path)) {
                writes.add(write);
              }
              return BoxedUnit.UNIT;
            });
    return writes;
  }

  /** How many writes to the path the query had begun before this one. */
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

  /** As Spark puts it together: the values of the partition columns that the statement names. */
  private static Path folder(InsertIntoHadoopFsRelationCommand insert)
      throws ReflectiveOperationException {
    Path folder = insert.outputPath();
    // Its type is another one on Scala 2.12 than on 2.13, and with it the method that is linked.
    Seq<?> columns = (Seq<?>) insert.getClass().getMethod("partitionColumns").invoke(insert);
    for (Iterator<?> each = columns.iterator(); each.hasNext(); ) {
      String column = ((Attribute) each.next()).name();
      Option<String> value = insert.staticPartitions().get(column);
      if (value.isDefined()) {
        folder = new Path(folder, ExternalCatalogUtils.getPartitionPathString(column, value.get()));
      }
    }
    return folder;
  }
}
