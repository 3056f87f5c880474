package io.repave.spark.check;

import io.repave.core.store.Location;
import io.repave.hadoop.TableAccess;
import io.repave.spark.bridge.ScalaMembers;
import io.repave.spark.catalog.ExternalCatalogCalls;
import io.repave.spark.write.TableCommandPlan;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.catalyst.catalog.CatalogTableType;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.command.AlterTableDropPartitionCommand;
import org.apache.spark.sql.execution.command.AlterTableRenamePartitionCommand;
import org.apache.spark.sql.execution.command.TruncateTableCommand;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Refuses statements after which the catalog deletes or moves files of a managed table at {@code
 * repave://}. It cannot do that there, and finds out after it has changed its own entry: queries by
 * the name would miss rows.
 */
public final class ManagedTableCheck implements PlanCheck {
  /** The name of null in a catalog. */
  private static final String NULL = ExternalCatalogUtils.DEFAULT_PARTITION_NAME();

  private final SparkSession session;

  public ManagedTableCheck(SparkSession session) {
    this.session = session;
  }

  @Override
  public void check(LogicalPlan plan) throws Exception {
    if (plan instanceof AlterTableDropPartitionCommand drop && !drop.retainData()) {
      Optional<CatalogTable> table = managed(drop.tableName());
      if (table.isPresent() && hasFiles(table.get(), ScalaMembers.list(drop, "specs"))) {
        throw StatementErrors.dropOfManagedPartition(name(table.get()), folder(table.get()));
      }
    } else if (plan instanceof AlterTableRenamePartitionCommand rename) {
      Optional<CatalogTable> table = managed(rename.tableName());
      if (table.isPresent()) {
        throw StatementErrors.renameOfManagedPartition(name(table.get()), folder(table.get()));
      }
    } else if (plan instanceof TruncateTableCommand truncate) {
      // Without partition columns TruncateAsCommit removes the files.
      Optional<CatalogTable> table =
          managed(truncate.tableName()).filter(it -> !ScalaMembers.partitionColumns(it).isEmpty());
      if (table.isPresent()) {
        throw StatementErrors.truncateOfManagedTable(name(table.get()), folder(table.get()));
      }
    } else {
      // Before Spark 4.1 saveAsTable drops the table without a plan.
      Optional<TableCommandPlan> save =
          TableCommandPlan.of(plan).filter(it -> it.mode() == SaveMode.Overwrite);
      if (save.isPresent() && managed(save.get().table().identifier()).isPresent()) {
        throw StatementErrors.saveAsManagedTable(save.get().table().identifier().unquotedString());
      }
    }
  }

  private Optional<CatalogTable> managed(TableIdentifier id) throws Exception {
    return new NamedTables(session)
        .findAtRepave(id)
        .filter(table -> table.tableType().equals(CatalogTableType.MANAGED()));
  }

  /**
   * Whether partitions with some of these values have files. The entry of one without files may go.
   */
  private boolean hasFiles(CatalogTable table, List<?> specs) throws IOException {
    TableIdentifier id = table.identifier();
    Configuration conf = new NamedTables(session).state().newHadoopConf();
    for (CatalogTablePartition each :
        ExternalCatalogCalls.of(session).partitions(id.database().get(), id.table())) {
      Path folder = new Path(each.location());
      Set<Map.Entry<String, String>> own = values(each.spec()).entrySet();
      if (specs.stream().anyMatch(spec -> own.containsAll(values(spec).entrySet()))
          && folder.getFileSystem(conf).exists(folder)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The values by column. Spark ignores the case of a column's name, and a statement names null as
   * such. Read without Scala's converters, which Scala 2.12 does not have.
   */
  private static Map<String, String> values(Object spec) {
    Map<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (Iterator<?> each = ((scala.collection.Map<?, ?>) spec).iterator(); each.hasNext(); ) {
      Tuple2<?, ?> value = (Tuple2<?, ?>) each.next();
      String text = value._2() == null ? NULL : (String) value._2();
      values.put((String) value._1(), text);
    }
    return values;
  }

  private static String name(CatalogTable table) {
    return table.identifier().database().get() + "." + table.identifier().table();
  }

  private static Location folder(CatalogTable table) throws IOException {
    return TableAccess.location(NamedTables.location(table));
  }
}
