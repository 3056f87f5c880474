package io.repave.spark.check;

import io.repave.core.engine.Progress;
import io.repave.hadoop.TableAccess;
import io.repave.spark.bridge.ScalaMembers;
import io.repave.spark.write.WriteTarget;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTableType;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.command.TruncateTableCommand;

/**
 * Refuses {@code TRUNCATE TABLE} of a managed table without partition columns that has records.
 * Spark would delete the table's own folder, with the records and what followers wrote. Of a table
 * with partition columns it deletes only the folders of partitions.
 */
public final class TruncateCheck implements PlanCheck {
  private final SparkSession session;

  public TruncateCheck(SparkSession session) {
    this.session = session;
  }

  @Override
  public void check(LogicalPlan plan) throws Exception {
    if (plan instanceof TruncateTableCommand truncate) {
      requireRecordsStay(truncate.tableName());
    }
  }

  private void requireRecordsStay(TableIdentifier id) throws Exception {
    NamedTables names = new NamedTables(session);
    Optional<CatalogTable> found = names.find(id).filter(TruncateCheck::losesItsFolder);
    if (found.isPresent()) {
      CatalogTable table = found.get();
      Path folder = NamedTables.location(table);
      requireNoRecords(ManagedTableCheck.name(table), folder, names.state().newHadoopConf());
    }
  }

  private static boolean losesItsFolder(CatalogTable table) {
    return table.tableType().equals(CatalogTableType.MANAGED())
        && ScalaMembers.list(table, "partitionColumnNames").isEmpty()
        && table.storage().locationUri().isDefined();
  }

  /** One request, for such a statement only: a GET of the head. */
  private static void requireNoRecords(String name, Path folder, Configuration conf)
      throws IOException, InterruptedException {
    WriteTarget target = new WriteTarget("", folder.toString(), false);
    if (!target.isManaged(conf)) {
      return;
    }
    TableAccess access = target.access(conf);
    // The folder of a partition of another table holds no records.
    if (access.folder().isEmpty() && access.table(Progress.SILENT).head().isPresent()) {
      throw StatementErrors.truncateOfRecords(name, access.root());
    }
  }
}
