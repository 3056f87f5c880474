package io.repave.spark.plan;

import io.repave.spark.bridge.Rewrite;
import java.io.IOException;
import java.util.Optional;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation$;

/**
 * Answers {@code spark.read.parquet("repave://bucket/table")}, and SQL on such a path, from the
 * table's records: Spark lists no folder and asks for no status, and it infers partitions and
 * schema once for each version.
 *
 * <p>Everything else is left to Spark, which lists the path: options, several paths, patterns,
 * partition folders, streams, and listing tables.
 */
final class PlanFromRecords extends Rule<LogicalPlan> {
  private final SparkSession session;

  PlanFromRecords(SparkSession session) {
    this.session = session;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    return plan.resolveOperators(
        new Rewrite<>(node -> PlannedRead.of(node).isPresent(), this::fromRecords));
  }

  private LogicalPlan fromRecords(LogicalPlan node) {
    return PlannedRead.of(node)
        .flatMap(this::relation)
        .<LogicalPlan>map(found -> LogicalRelation$.MODULE$.apply(found, false))
        .orElse(node);
  }

  /** Empty if the path has to be listed. Spark then says what is wrong with it, if anything is. */
  private Optional<HadoopFsRelation> relation(PlannedRead read) {
    Optional<FileFormat> format = read.fileFormat(session.sessionState().conf());
    if (format.isEmpty()) {
      return Optional.empty();
    }
    try {
      return new RelationOfVersion(session, format.get(), read).find();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
