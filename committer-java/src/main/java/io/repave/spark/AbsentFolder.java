package io.repave.spark;

import java.net.URI;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.command.InsertIntoDataSourceDirCommand;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * The folder of a static overwrite that was not there when Spark looked. Spark then asks for
 * nothing to be deleted, and the write would pass for an append: two of them, or a dead one and its
 * second run, would both keep their rows. What it is stands in the query's plan alone.
 */
final class AbsentFolder {
  private static final Logger LOG = LoggerFactory.getLogger(AbsentFolder.class);

  private AbsentFolder() {}

  /**
   * The folder at or below {@code path} that the running query overwrites; empty for an append, and
   * where the plan cannot be read: then the write is what Spark's calls made of it.
   */
  static Optional<Path> of(String path) {
    try {
      Optional<LogicalPlan> running = running();
      if (running.isEmpty()) {
        return Optional.empty();
      }
      if (running.get() instanceof InsertIntoHadoopFsRelationCommand insert) {
        return overwrites(insert, path) ? Optional.of(folder(insert)) : Optional.empty();
      }
      return running.get() instanceof InsertIntoDataSourceDirCommand insert
              && overwrites(insert, path)
          ? Optional.of(new Path(path))
          : Optional.empty();
    } catch (RuntimeException | ReflectiveOperationException | LinkageError e) {
      LOG.warn("Spark's plan does not tell whether a write to {} is an overwrite.", path, e);
      return Optional.empty();
    }
  }

  private static Optional<LogicalPlan> running() {
    Option<SparkSession> session = SparkSession.getActiveSession();
    String id =
        session.isEmpty()
            ? null
            : session.get().sparkContext().getLocalProperty(SQLExecution.EXECUTION_ID_KEY());
    QueryExecution query = id == null ? null : SQLExecution.getQueryExecution(Long.parseLong(id));
    return Optional.ofNullable(query).map(QueryExecution::analyzed);
  }

  private static boolean overwrites(InsertIntoHadoopFsRelationCommand insert, String path) {
    return insert.mode() == SaveMode.Overwrite && insert.outputPath().toString().equals(path);
  }

  /** {@code INSERT OVERWRITE DIRECTORY}, which runs the command that writes inside its own. */
  private static boolean overwrites(InsertIntoDataSourceDirCommand insert, String path) {
    Option<URI> folder = insert.storage().locationUri();
    return insert.overwrite()
        && folder.isDefined()
        && new Path(folder.get()).toString().equals(path);
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
