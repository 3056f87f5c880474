package io.repave.spark.check;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Refuses some of the statements of a session. */
public interface PlanCheck {
  /** Called for each analyzed plan. The exceptions of Spark's catalog differ between releases. */
  void check(LogicalPlan plan) throws Exception;
}
