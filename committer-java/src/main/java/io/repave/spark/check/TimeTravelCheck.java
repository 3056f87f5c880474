package io.repave.spark.check;

import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.ScalaMembers;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.InMemoryFileIndex;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/**
 * Refuses the options by which other table formats name a version, on a {@code repave://} path.
 * Spark's own formats pass over options that they do not know, and would show the newest version.
 */
public final class TimeTravelCheck implements PlanCheck {
  private static final List<String> OPTIONS = List.of("versionAsOf", "timestampAsOf");

  @Override
  public void check(LogicalPlan plan) throws InvalidConfigException {
    for (LogicalPlan node : PlanNodes.all(plan)) {
      for (String option : OPTIONS) {
        Optional<Path> path = has(node, option) ? path(node) : Optional.empty();
        if (path.isPresent()) {
          throw StatementErrors.optionOfVersion(option, path.get());
        }
      }
    }
  }

  private static boolean has(LogicalPlan node, String option) {
    if (node instanceof LogicalRelation named) {
      return named.relation() instanceof HadoopFsRelation files && files.options().contains(option);
    }
    return node instanceof DataSourceV2Relation files && files.options().containsKey(option);
  }

  /** The path of a read that Spark lists by itself: other formats do know these options. */
  private static Optional<Path> path(LogicalPlan node) {
    return PlanNodes.files(node)
        .filter(InMemoryFileIndex.class::isInstance)
        .map(files -> (Path) ScalaMembers.list(files, "rootPaths").get(0))
        .filter(RepaveFileSystem::isPath);
  }
}
