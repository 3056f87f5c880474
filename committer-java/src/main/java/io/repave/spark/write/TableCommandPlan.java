package io.repave.spark.write;

import io.repave.hadoop.Setting;
import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.ScalaMembers;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.command.CreateDataSourceTableAsSelectCommand;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import scala.Option;

/**
 * The command around a write that creates the table or, with {@code saveAsTable}, adds to it.
 *
 * @param query the rows
 * @param options of {@code saveAsTable}; if the table exists, Spark does not pass them to the write
 */
public record TableCommandPlan(
    CatalogTable table, SaveMode mode, LogicalPlan query, Map<String, String> options) {
  /** {@code saveAsTable} since Spark 4.1. Before, nothing shows its options. */
  private static final String SAVE_AS_TABLE = "SaveAsV1TableCommand";

  /**
   * Creates a table of a Hive format as select, in SQL and before Spark 4.1 in {@code saveAsTable}
   * too. Its class is not in every Spark. Spark passes its options to the write.
   */
  private static final String CREATE_HIVE_TABLE = "CreateHiveTableAsSelectCommand";

  /**
   * The outermost command around a write. It is in the plan of the query that writes or of the one
   * that the thread began first. In a batch of a stream it is in between, where queries of other
   * threads are too. So only a command with the rows and the table of the write counts.
   */
  public static Optional<TableCommandPlan> of(
      RunningQueries running, Optional<InsertIntoHadoopFsRelationCommand> insert) {
    Optional<TableCommandPlan> own =
        Stream.of(running.root(), running.writing())
            .flatMap(Optional::stream)
            .flatMap(TableCommandPlan::in)
            .findFirst();
    if (own.isPresent() || insert.isEmpty()) {
      return own;
    }
    return running.others().stream()
        .flatMap(TableCommandPlan::in)
        .filter(it -> it.isAround(insert.get()))
        .reduce((inner, outer) -> outer);
  }

  private static Stream<TableCommandPlan> in(QueryExecution query) {
    try {
      return PlanNodes.all(query.analyzed()).stream().flatMap(it -> of(it).stream());
    } catch (Exception e) {
      // Another thread's query that is not valid, whose error Spark does not declare.
      return Stream.empty();
    }
  }

  /** Spark puts the plan of the rows into the write as it is, at most below a projection. */
  private boolean isAround(InsertIntoHadoopFsRelationCommand insert) {
    // The write into a new table names no table, and has the options of its own.
    boolean fits =
        insert.catalogTable().isEmpty()
            ? options.isEmpty() && isAt(insert.outputPath())
            : names(insert.catalogTable().get().identifier());
    return fits && PlanNodes.all(insert.query()).stream().anyMatch(node -> node == query);
  }

  /** Spark gives a table without a location a folder of its name. */
  private boolean isAt(Path folder) {
    Option<URI> location = table.storage().locationUri();
    return location.isDefined()
        ? new Path(location.get()).equals(folder)
        : folder.getName().equalsIgnoreCase(table.identifier().table());
  }

  private boolean names(TableIdentifier other) {
    TableIdentifier own = table.identifier();
    return own.table().equalsIgnoreCase(other.table())
        && (own.database().isEmpty()
            || other.database().isEmpty()
            || own.database().get().equalsIgnoreCase(other.database().get()));
  }

  /** The command that a node is, if it is one. */
  public static Optional<TableCommandPlan> of(LogicalPlan node) {
    if (node instanceof CreateDataSourceTableAsSelectCommand command) {
      return Optional.of(
          new TableCommandPlan(command.table(), command.mode(), command.query(), Map.of()));
    }
    String name = node.getClass().getSimpleName();
    if (!name.equals(SAVE_AS_TABLE) && !name.equals(CREATE_HIVE_TABLE)) {
      return Optional.empty();
    }
    CatalogTable table = (CatalogTable) ScalaMembers.member(node, "tableDesc");
    SaveMode mode = (SaveMode) ScalaMembers.member(node, "mode");
    LogicalPlan query = (LogicalPlan) ScalaMembers.member(node, "query");
    Map<String, String> options = name.equals(SAVE_AS_TABLE) ? options(table) : Map.of();
    return Optional.of(new TableCommandPlan(table, mode, query, options));
  }

  private static Map<String, String> options(CatalogTable table) {
    Map<String, String> options = new TreeMap<>();
    for (Setting setting : Setting.values()) {
      Option<String> value = table.storage().properties().get(setting.key());
      if (value.isDefined()) {
        options.put(setting.key(), value.get());
      }
    }
    return options;
  }

  /** Whether the command adds rows. It overwrites the folder of a table that it creates. */
  boolean appends() {
    return mode == SaveMode.Append;
  }

  /** Whether Spark skips the write, without a call, if the table is there. */
  boolean maySkip() {
    return mode == SaveMode.Ignore;
  }
}
