package io.repave.spark.plan;

import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.runtime.AbstractPartialFunction;

/** What a rule does with the nodes of a plan that it is for. */
final class Rewrite extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
  private final Predicate<LogicalPlan> isFor;
  private final UnaryOperator<LogicalPlan> rewrite;

  Rewrite(Predicate<LogicalPlan> isFor, UnaryOperator<LogicalPlan> rewrite) {
    this.isFor = isFor;
    this.rewrite = rewrite;
  }

  @Override
  public boolean isDefinedAt(LogicalPlan node) {
    return isFor.test(node);
  }

  @Override
  public LogicalPlan apply(LogicalPlan node) {
    return rewrite.apply(node);
  }
}
