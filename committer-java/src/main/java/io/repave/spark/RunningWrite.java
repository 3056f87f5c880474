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
 * The write that Spark is running, as the plan of its query describes it. If the folder of a static
 * overwrite does not exist, Spark asks for nothing to be deleted, and its calls look like those of
 * an append: two such writes, or a dead one and its second run, would both keep their rows. Only
 * the plan tells them apart.
 *
 * <p>One query may hold several writes ({@code FROM … INSERT … INSERT …}). Spark runs them one
 * after another, in the order of the plan, so those to the same path are told apart by counting.
 */
final class RunningWrite {
  private static final Logger LOG = LoggerFactory.getLogger(RunningWrite.class);

  /** How many writes to each path a query has begun. */
  private static final Map<QueryExecution, Map<String, Integer>> BEGUN = new WeakHashMap<>();

  private RunningWrite() {}

  /**
   * The folder at or below {@code path} that this write overwrites. Empty for an append, and if the
   * plan cannot be read: then Spark's calls alone say what the write is. Call it once for each
   * write.
   */
  static Optional<Path> overwrites(String path) {
    try {
      Optional<QueryExecution> query = runningQuery();
      Optional<InsertIntoHadoopFsRelationCommand> write =
          query.isPresent() ? next(query.get(), path) : Optional.empty();
      return write.isPresent() && write.get().mode() == SaveMode.Overwrite
          ? Optional.of(folder(write.get()))
          : Optional.empty();
    } catch (RuntimeException | ReflectiveOperationException | LinkageError e) {
      LOG.warn("Spark's plan does not tell whether a write to {} is an overwrite.", path, e);
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
          "It names " + writes.size() + " writes, and this is number " + (begun + 1));
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

  /** How many writes to the path the query had begun before this one. */
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
