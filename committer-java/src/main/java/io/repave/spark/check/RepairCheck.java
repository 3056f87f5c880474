package io.repave.spark.check;

import io.repave.core.record.Follower;
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
 *
 * <p>Also for a table that follows: its folders still have the files of partitions that no version
 * has any more, and these partitions would come back.
 */
public final class RepairCheck implements PlanCheck {
  private final SparkSession session;

  public RepairCheck(SparkSession session) {
    this.session = session;
  }

  @Override
  public void check(LogicalPlan plan) throws Exception {
    if (plan instanceof RepairTableCommand repair && repair.enableAddPartitions()) {
      NamedTables names = new NamedTables(session);
      Optional<CatalogTable> table = names.find(repair.tableName());
      if (table.isPresent()) {
        requireRepairable(repair.tableName(), table.get(), names);
      }
    }
  }

  private static void requireRepairable(TableIdentifier id, CatalogTable table, NamedTables names)
      throws Exception {
    String name = id.database().isDefined() ? id.database().get() + "." + id.table() : id.table();
    if (table.properties().contains(Follower.MARK)) {
      throw StatementErrors.repairOfFollower(
          name, TableAccess.location(NamedTables.location(table)));
    }
    if (!NamedTables.isAtRepave(table)) {
      return;
    }
    Path folder = NamedTables.location(table);
    if (folder.getFileSystem(names.state().newHadoopConf()) instanceof RepaveFileSystem store
        && store.version(folder).isPresent()) {
      throw StatementErrors.repairOfSnapshotTable(name, TableAccess.location(folder));
    }
  }
}
