package io.repave.spark.plan;

import static scala.jdk.javaapi.CollectionConverters.asScala;

import io.repave.spark.bridge.Rewrite;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;

/**
 * Asks the catalog for the partitions of a name when the query is planned, as Spark does where a
 * filter selects some. Without a filter Spark asks when the query runs: partitions that an
 * overwrite has removed from the catalog since would be missing, although the version has them.
 */
final class PartitionsWhenPlanned extends Rule<LogicalPlan> {
  private final SparkSession session;

  PartitionsWhenPlanned(SparkSession session) {
    this.session = session;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    return plan.transformDown(new Rewrite<>(PartitionsWhenPlanned::isFor, this::planned));
  }

  private static boolean isFor(LogicalPlan node) {
    return node instanceof LogicalRelation named
        && named.relation() instanceof HadoopFsRelation files
        && files.location() instanceof PartitionsOfVersion;
  }

  private LogicalPlan planned(LogicalPlan node) {
    LogicalRelation named = (LogicalRelation) node;
    HadoopFsRelation files = (HadoopFsRelation) named.relation();
    PartitionsOfVersion name = (PartitionsOfVersion) files.location();
    return ReplacedIndex.of(
        named, name.filterPartitions(asScala(List.<Expression>of()).toSeq()), session);
  }
}
