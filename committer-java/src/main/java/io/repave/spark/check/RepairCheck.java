package io.repave.spark.check;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.TableAccess;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.command.RepairTableCommand;

/**
 * Refuses {@code MSCK REPAIR TABLE} and {@code ALTER TABLE … RECOVER PARTITIONS} for a snapshot
 * table at {@code repave://}. Spark would list the folders of one version, and write these paths
 * into the catalog: queries by the name would show the rows of that version for ever.
 */
public final class RepairCheck implements PlanCheck {
  private final SparkSession session;

  public RepairCheck(SparkSession session) {
    this.session = session;
  }

  @Override
  public void check(LogicalPlan plan) throws Exception {
    if (plan instanceof RepairTableCommand repair && repair.enableAddPartitions()) {
      requireUnversioned(repair.tableName());
    }
  }

  private void requireUnversioned(TableIdentifier id) throws Exception {
    NamesAtRepave names = new NamesAtRepave(session);
    Optional<CatalogTable> table = names.find(id);
    if (table.isEmpty()) {
      return;
    }
    Path folder = NamesAtRepave.location(table.get());
    if (folder.getFileSystem(names.state().newHadoopConf()) instanceof RepaveFileSystem store
        && store.version(folder).isPresent()) {
      String name = id.database().isDefined() ? id.database().get() + "." + id.table() : id.table();
      throw StatementErrors.repairOfSnapshotTable(name, TableAccess.location(folder));
    }
  }
}
