package io.repave.spark.check;

import io.repave.core.Table;
import io.repave.core.engine.Progress;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.read.EngineScope;
import io.repave.hadoop.read.SharedStates;
import io.repave.spark.bridge.MethodsByName;
import io.repave.spark.bridge.ScalaMembers;
import io.repave.spark.catalog.CachedFrames;
import io.repave.spark.catalog.MetastoreFollowing;
import io.repave.spark.write.WriteTarget;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTableType;
import org.apache.spark.sql.execution.command.CommandUtils;
import org.apache.spark.sql.execution.command.TruncateTableCommand;

/**
 * {@code TRUNCATE TABLE} of a managed table without partition columns that has records. Spark would
 * delete the table's own folder, with the records and what followers wrote. Of a table with
 * partition columns it deletes only the folders of partitions.
 *
 * <p>The commit is a static overwrite of the whole table without files and without a token, as a
 * drop of partitions is one of their folders.
 */
final class TruncateAsCommit {
  private final SparkSession session;

  TruncateAsCommit(SparkSession session) {
    this.session = session;
  }

  /** False for a statement that is left to Spark, which refuses some. */
  boolean run(TruncateTableCommand truncate) throws Exception {
    NamedTables names = new NamedTables(session);
    Optional<CatalogTable> found =
        truncate.partitionSpec().isDefined()
            ? Optional.empty()
            : names.find(truncate.tableName()).filter(TruncateAsCommit::losesItsFolder);
    if (found.isEmpty() || !remove(NamedTables.location(found.get()), names)) {
      return false;
    }
    // As Spark does after it has deleted the folder.
    session.catalog().refreshTable(truncate.tableName().unquotedString());
    MethodsByName.call(CommandUtils.class, null, "updateTableStats", session, found.get());
    return true;
  }

  private static boolean losesItsFolder(CatalogTable table) {
    return table.tableType().equals(CatalogTableType.MANAGED())
        && ScalaMembers.partitionColumns(table).isEmpty()
        && table.storage().locationUri().isDefined();
  }

  /** Requests: 1 GET of the head; with records also those of an overwrite without files. */
  private boolean remove(Path folder, NamedTables names) throws IOException, InterruptedException {
    Configuration conf = names.state().newHadoopConf();
    WriteTarget target = new WriteTarget("", folder.toString(), false);
    if (!target.isManaged(conf)) {
      return false;
    }
    TableAccess access = target.access(conf);
    Table table = access.table(Progress.SILENT);
    Optional<Head> head = table.head();
    // The folder of a partition of another table holds no records.
    if (!access.folder().isEmpty() || head.isEmpty()) {
      return false;
    }
    try {
      table.drop(List.of(""), EngineScope.FOUND.batch());
    } finally {
      SharedStates.committed();
    }
    MetastoreFollowing.afterWrite(
        head.get().catalogs(),
        access.root(),
        catalog -> table.move(FollowerKind.METASTORE, catalog));
    CachedFrames.afterChange(session, folder.toString());
    return true;
  }
}
