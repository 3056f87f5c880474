package io.repave.spark.plan;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

/**
 * Remembers the versions with which a command such as {@code INSERT … SELECT} is analyzed. Spark
 * plans the command's query apart from that, with a look of its own at each table that the query
 * reads by name. A commit in between would put two versions into one result.
 */
final class VersionsOfCommands extends Rule<LogicalPlan> {
  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    VersionsOfStatement.keepForCommands(plan);
    return plan;
  }
}
