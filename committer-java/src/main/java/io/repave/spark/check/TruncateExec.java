package io.repave.spark.check;

import io.repave.spark.bridge.MethodsByName;
import io.repave.spark.bridge.SeqResults;
import io.repave.spark.bridge.SneakyThrow;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.command.TruncateTableCommand;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.List$;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag$;

/**
 * Runs {@code TRUNCATE TABLE}: as a commit, or else as Spark does. A plan of its own, because Java
 * cannot extend Spark's command.
 */
public final class TruncateExec extends SparkPlan implements SeqResults.Plan {
  private final TruncateTableCommand command;

  /** Spark copies a plan by this constructor, with its elements as arguments. */
  public TruncateExec(TruncateTableCommand command) {
    this.command = command;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    SparkSession session = SparkSession.active();
    try {
      if (!new TruncateAsCommit(session).run(command)) {
        MethodsByName.call(TruncateTableCommand.class, command, "run", session);
      }
    } catch (Exception e) {
      throw SneakyThrow.as(e);
    }
    return session.sparkContext().emptyRDD(ClassTag$.MODULE$.apply(InternalRow.class));
  }

  @Override
  public Seq<Attribute> output() {
    return List$.MODULE$.empty();
  }

  @Override
  public Seq<SparkPlan> children() {
    return List$.MODULE$.empty();
  }

  /** Not called, because a plan without children gets no other ones. */
  @Override
  public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children) {
    return this;
  }

  @Override
  public int productArity() {
    return 1;
  }

  @Override
  public Object productElement(int index) {
    return command;
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof TruncateExec;
  }
}
