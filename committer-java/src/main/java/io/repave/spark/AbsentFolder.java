package io.repave.spark;

import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
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
      Optional<InsertIntoHadoopFsRelationCommand> insert = runningInsert();
      if (insert.isEmpty()
          || insert.get().mode() != SaveMode.Overwrite
          || !insert.get().outputPath().toString().equals(path)) {
        return Optional.empty();
      }
      return Optional.of(folder(insert.get()));
    } catch (RuntimeException | ReflectiveOperationException | LinkageError e) {
      LOG.warn("Spark's plan does not tell whether a write to {} is an overwrite.", path, e);
      return Optional.empty();
    }
  }

  private static Optional<InsertIntoHadoopFsRelationCommand> runningInsert() {
    Option<SparkSession> session = SparkSession.getActiveSession();
    String id =
        session.isEmpty()
            ? null
            : session.get().sparkContext().getLocalProperty(SQLExecution.EXECUTION_ID_KEY());
    QueryExecution query = id == null ? null : SQLExecution.getQueryExecution(Long.parseLong(id));
    return query != null && query.analyzed() instanceof InsertIntoHadoopFsRelationCommand insert
        ? Optional.of(insert)
        : Optional.empty();
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
