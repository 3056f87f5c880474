package io.repave.spark.write;

import io.repave.spark.bridge.PlanNodes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.command.DataWritingCommandExec;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;

/**
 * The writes in the plan of a query. There may be several ({@code FROM … INSERT … INSERT …}). Spark
 * runs them one after another, in the order of the plan, so writes to the same path are
 * distinguished by counting.
 */
final class QueryWrites {
  /** The number of writes to each path that a query has begun. */
  private static final Map<QueryExecution, Map<String, Integer>> BEGUN = new WeakHashMap<>();

  private QueryWrites() {}

  /** The write of the plan's writes to one path before which the query began so many. */
  static <T> Optional<T> number(int begun, List<T> writes) {
    if (writes.isEmpty()) {
      return Optional.empty();
    }
    if (writes.size() > 1 && begun >= writes.size()) {
      throw new IllegalStateException(
          "The plan has "
              + writes.size()
              + " writes to this path, but Spark begins number "
              + (begun + 1)
              + ". Report this as a bug of Repave.");
    }
    return Optional.of(writes.get(Math.min(begun, writes.size() - 1)));
  }

  static Optional<DataWritingCommandExec> physical(List<SparkPlan> nodes, int begun, String path) {
    List<DataWritingCommandExec> writes =
        PlanNodes.writes(nodes).stream()
            .filter(
                it ->
                    it.cmd() instanceof InsertIntoHadoopFsRelationCommand insert
                        && isTo(insert, path))
            .toList();
    return number(begun, writes);
  }

  private static boolean isTo(InsertIntoHadoopFsRelationCommand insert, String path) {
    return insert.outputPath().toString().equals(path);
  }

  /** Those to a path. */
  static List<InsertIntoHadoopFsRelationCommand> to(String path, QueryExecution query) {
    return of(query).stream().filter(insert -> isTo(insert, path)).toList();
  }

  static List<InsertIntoHadoopFsRelationCommand> of(QueryExecution query) {
    return PlanNodes.all(query.analyzed()).stream()
        .filter(InsertIntoHadoopFsRelationCommand.class::isInstance)
        .map(InsertIntoHadoopFsRelationCommand.class::cast)
        .toList();
  }

  /** The number of writes to the path that the query began before this one. */
  static int begin(QueryExecution query, String path) {
    synchronized (BEGUN) {
      return BEGUN.computeIfAbsent(query, unseen -> new HashMap<>()).merge(path, 1, Integer::sum)
          - 1;
    }
  }
}
