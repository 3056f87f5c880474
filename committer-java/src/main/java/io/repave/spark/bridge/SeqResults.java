package io.repave.spark.bridge;

import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.Seq;

/**
 * Methods of Spark that return {@code scala.collection.Seq} on Scala 2.12, and its immutable
 * subtype on 2.13, against which Repave is compiled. A class that overrides them implements their
 * interface here too: then the compiler adds the methods of 2.12.
 */
public final class SeqResults {
  private SeqResults() {}

  /** Of {@code SparkStrategy}. */
  public interface Strategy {
    Seq<SparkPlan> apply(LogicalPlan plan);
  }

  /** Of {@code SparkPlan}. */
  public interface Plan {
    Seq<SparkPlan> children();

    Seq<Attribute> output();
  }
}
