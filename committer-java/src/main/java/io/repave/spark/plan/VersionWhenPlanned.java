package io.repave.spark.plan;

import io.repave.spark.bridge.Rewrite;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;

/**
 * Keeps the version of a path from the moment when a query is planned. Spark asks for the files
 * when each scan begins. A commit in between may refresh a cached frame that was made from the same
 * frame, and later scans of the query would read another version.
 */
final class VersionWhenPlanned extends Rule<LogicalPlan> {
  private final SparkSession session;

  VersionWhenPlanned(SparkSession session) {
    this.session = session;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    return plan.transformDown(new Rewrite<>(VersionWhenPlanned::isFor, this::planned));
  }

  private static boolean isFor(LogicalPlan node) {
    return node instanceof LogicalRelation path
        && path.relation() instanceof HadoopFsRelation files
        && files.location() instanceof RecordsIndex
        && !ReplacedIndex.isMarked(path);
  }

  private LogicalPlan planned(LogicalPlan node) {
    LogicalRelation path = (LogicalRelation) node;
    HadoopFsRelation files = (HadoopFsRelation) path.relation();
    RecordsIndex index = ((RecordsIndex) files.location()).planned();
    return ReplacedIndex.ofVersion(path, index, index.version().toString(), session);
  }
}
