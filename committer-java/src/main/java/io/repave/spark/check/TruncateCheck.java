package io.repave.spark.check;

import io.repave.core.engine.Progress;
import io.repave.hadoop.TableAccess;
import io.repave.spark.bridge.ScalaMembers;
import io.repave.spark.write.WriteTarget;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTableType;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.command.TruncateTableCommand;
import org.apache.spark.sql.internal.SessionState;
import scala.Option;

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
    SessionState state = new NamesAtRepave(session).state();
    if (!state.catalog().tableExists(id)) {
      return;
    }
    CatalogTable table = state.catalog().getTableMetadata(id);
    Option<URI> location = table.storage().locationUri();
    if (table.tableType().equals(CatalogTableType.MANAGED())
        && ScalaMembers.list(table, "partitionColumnNames").isEmpty()
        && location.isDefined()) {
      String name = ManagedTableCheck.name(table);
      requireNoRecords(name, new Path(location.get()), state.newHadoopConf());
    }
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
