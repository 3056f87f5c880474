package io.repave.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
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
import scala.runtime.BoxedUnit;

/**
 * Detects from the plan of the running query whether a write is a static overwrite. If the folder
 * of such an overwrite does not exist, Spark does not ask to delete it, and its calls look like
 * those of an append. Then two such writes, or a dead one and its retry, would both keep their
 * rows. Only the plan shows the difference.
 *
 * <p>A query may contain several writes ({@code FROM … INSERT … INSERT …}). Spark runs them one
 * after another, in the order of the plan, so writes to the same path are distinguished by
 * counting.
 */
final class OverwriteDetector {
  private static final Logger LOG = LoggerFactory.getLogger(OverwriteDetector.class);

  /** The number of writes to each path that a query has begun. */
  private static final Map<QueryExecution, Map<String, Integer>> BEGUN = new WeakHashMap<>();

  private OverwriteDetector() {}

  /**
   * The folder at or below {@code path} that this write overwrites. Empty for an append. Also empty
   * if the plan cannot be read: then only Spark's calls show what the write does. Call it once per
   * write.
   */
  static Optional<Path> overwrittenFolder(String path) {
    try {
      Optional<QueryExecution> query = runningQuery();
      Optional<InsertIntoHadoopFsRelationCommand> write =
          query.isPresent() ? next(query.get(), path) : Optional.empty();
      return write.isPresent() && write.get().mode() == SaveMode.Overwrite
          ? Optional.of(folder(write.get()))
          : Optional.empty();
    } catch (RuntimeException | ReflectiveOperationException | LinkageError e) {
      LOG.warn("Spark's plan does not show whether a write to {} is an overwrite.", path, e);
      return Optional.empty();
    }
  }

  private static Optional<InsertIntoHadoopFsRelationCommand> next(
      QueryExecution query, String path) {
    List<InsertIntoHadoopFsRelationCommand> writes = writes(query, path);
    int begun = begun(query, path);
    if (writes.isEmpty()) {
      return Optional.empty();
    }
    if (writes.size() > 1 && begun >= writes.size()) {
      throw new IllegalStateException(
          "The plan has " + writes.size() + " writes, and this is number " + (begun + 1));
    }
    return Optional.of(writes.get(Math.min(begun, writes.size() - 1)));
  }

  private static List<InsertIntoHadoopFsRelationCommand> writes(QueryExecution query, String path) {
    List<InsertIntoHadoopFsRelationCommand> writes = new ArrayList<>();
    query
        .analyzed()
        .foreach(
            node -> {
              if (node instanceof InsertIntoHadoopFsRelationCommand write
                  && write.outputPath().toString().equals(path)) {
                writes.add(write);
              }
              return BoxedUnit.UNIT;
            });
    return writes;
  }

  /** The number of writes to the path that the query began before this one. */
  private static int begun(QueryExecution query, String path) {
    synchronized (BEGUN) {
      return BEGUN.computeIfAbsent(query, unseen -> new HashMap<>()).merge(path, 1, Integer::sum)
          - 1;
    }
  }

  private static Optional<QueryExecution> runningQuery() {
    Option<SparkSession> session = SparkSession.getActiveSession();
    String id =
        session.isEmpty()
            ? null
            : session.get().sparkContext().getLocalProperty(SQLExecution.EXECUTION_ID_KEY());
    return Optional.ofNullable(
        id == null ? null : SQLExecution.getQueryExecution(Long.parseLong(id)));
  }

  /** The folder as Spark builds it, from the partition values in the statement. */
  private static Path folder(InsertIntoHadoopFsRelationCommand insert)
      throws ReflectiveOperationException {
    Path folder = insert.outputPath();
    // The return type differs between Scala 2.12 and 2.13, so the method is called by reflection.
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
