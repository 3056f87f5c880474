package io.repave.spark.check;

import io.repave.spark.bridge.SeqResults;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import org.apache.spark.sql.execution.command.TruncateTableCommand;
import scala.collection.immutable.List;
import scala.collection.immutable.List$;
import scala.collection.immutable.Seq;

/**
 * Plans {@code TRUNCATE TABLE} as a {@link TruncateExec}. The logical plan stays Spark's own: rules
 * that check the privileges of users know it by its class.
 */
public final class TruncateStrategy extends SparkStrategy implements SeqResults.Strategy {
  @Override
  public Seq<SparkPlan> apply(LogicalPlan plan) {
    List<SparkPlan> none = List$.MODULE$.empty();
    return plan instanceof TruncateTableCommand truncate
        ? none.$colon$colon(new TruncateExec(truncate))
        : none;
  }
}
