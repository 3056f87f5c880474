package io.repave.spark;

import io.repave.hadoop.Setting;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.command.CreateDataSourceTableAsSelectCommand;
import scala.Option;

/**
 * The command around a write that creates the table or, with {@code saveAsTable}, adds to it.
 *
 * @param options of {@code saveAsTable}; if the table exists, Spark does not pass them to the write
 */
record TableCommandPlan(CatalogTable table, SaveMode mode, Map<String, String> options) {
  /** {@code saveAsTable} in Spark 4. In Spark 3.5, nothing shows its options. */
  private static final String SAVE_AS_TABLE = "SaveAsV1TableCommand";

  /** The command in the plan of a query or of the one that Spark began first. */
  static Optional<TableCommandPlan> of(QueryExecution query, QueryExecution root) {
    return Stream.of(root, query)
        .flatMap(it -> PlanNodes.all(it.analyzed()).stream())
        .flatMap(it -> of(it).stream())
        .findFirst();
  }

  private static Optional<TableCommandPlan> of(LogicalPlan node) {
    if (node instanceof CreateDataSourceTableAsSelectCommand command) {
      return Optional.of(new TableCommandPlan(command.table(), command.mode(), Map.of()));
    }
    if (node.getClass().getSimpleName().equals(SAVE_AS_TABLE)) {
      CatalogTable table = (CatalogTable) PlanNodes.member(node, "tableDesc");
      SaveMode mode = (SaveMode) PlanNodes.member(node, "mode");
      return Optional.of(new TableCommandPlan(table, mode, options(table)));
    }
    return Optional.empty();
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

  /** Whether Spark skips the write, without a call, if the table is there. */
  boolean maySkip() {
    return mode == SaveMode.Ignore;
  }
}
