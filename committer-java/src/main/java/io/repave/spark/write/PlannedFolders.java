package io.repave.spark.write;

import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.ScalaMembers;
import io.repave.spark.catalog.ExternalCatalogCalls;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import scala.Option;

/**
 * The folders that an overwrite may replace, according to its statement and the catalog. Spark
 * names only those that exist, and none for a dynamic overwrite. But a commit that died may have
 * decided files for a folder that does not exist yet.
 */
final class PlannedFolders {
  private static final String BY_CATALOG = "spark.sql.hive.manageFilesourcePartitions";

  private final InsertIntoHadoopFsRelationCommand insert;

  PlannedFolders(InsertIntoHadoopFsRelationCommand insert) {
    this.insert = insert;
  }

  /** The folder as Spark builds it, from the partition values in the statement. */
  Path ofStatement() {
    Path folder = insert.outputPath();
    for (String column : PlanNodes.partitionColumns(insert)) {
      Option<String> value = insert.staticPartitions().get(column);
      if (value.isDefined()) {
        folder = new Path(folder, ExternalCatalogUtils.getPartitionPathString(column, value.get()));
      }
    }
    return folder;
  }

  /** Whether the statement gives a value to every partition column. */
  boolean isOnePartition() {
    return insert.staticPartitions().size() == PlanNodes.partitionColumns(insert).size();
  }

  /**
   * The statement's folder, then those of the catalog's partitions with the values in the
   * statement, wherever they are. Spark asks the catalog for the same partitions. One call of the
   * metastore; none for a table whose partitions are not in the catalog.
   */
  List<Path> all(SparkSession session) {
    List<Path> folders = new ArrayList<>(List.of(ofStatement()));
    if (!isByCatalog(session)) {
      return folders;
    }
    TableIdentifier id = insert.catalogTable().get().identifier();
    Option<?> values = Option.apply(insert.staticPartitions());
    for (CatalogTablePartition each :
        ExternalCatalogCalls.of(session).partitions(id.database().get(), id.table(), values)) {
      if (each.storage().locationUri().isDefined()) {
        folders.add(new Path(each.storage().locationUri().get()));
      }
    }
    return folders;
  }

  /** Whether the catalog has the partitions of the table, and the write names that table. */
  boolean isByCatalog(SparkSession session) {
    if (insert.catalogTable().isEmpty()) {
      return false;
    }
    CatalogTable table = insert.catalogTable().get();
    return table.tracksPartitionsInCatalog()
        && !ScalaMembers.partitionColumns(table).isEmpty()
        && Boolean.parseBoolean(session.conf().get(BY_CATALOG, "true"));
  }
}
