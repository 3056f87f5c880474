package io.repave.spark.write;

import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.ScalaMembers;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;

/** An insert of Spark's plan, and the files that it was going to read. */
record InsertStatement(InsertIntoHadoopFsRelationCommand insert, FilesRead files)
    implements Statement {
  static InsertStatement of(InsertIntoHadoopFsRelationCommand insert) {
    return new InsertStatement(insert, FilesRead.of(insert.query()));
  }

  /** Whether the other one puts the same rows into the same folders, as the same files. */
  @Override
  public boolean isSameAs(Statement other) {
    return other instanceof InsertStatement it && isSameAs(it.insert) && files.isSameAs(it.files);
  }

  private boolean isSameAs(InsertIntoHadoopFsRelationCommand other) {
    return insert.outputPath().equals(other.outputPath())
        && insert.mode() == other.mode()
        && insert.dynamicPartitionOverwrite() == other.dynamicPartitionOverwrite()
        && insert.staticPartitions().equals(other.staticPartitions())
        && insert.fileFormat().getClass().equals(other.fileFormat().getClass())
        && insert.options().equals(other.options())
        && insert.bucketSpec().equals(other.bucketSpec())
        && ScalaMembers.list(insert, "outputColumnNames")
            .equals(ScalaMembers.list(other, "outputColumnNames"))
        && PlanNodes.partitionColumns(insert).equals(PlanNodes.partitionColumns(other))
        // Does not look at the names of columns.
        && normal(insert.query()).sameResult(normal(other.query()));
  }

  /**
   * Spark numbers the parts of each WITH that it parses, and compares the numbers. Since Spark 4.1
   * a rule takes them away.
   */
  private static LogicalPlan normal(LogicalPlan query) {
    try {
      Class<?> rule = Class.forName("org.apache.spark.sql.catalyst.normalizer.NormalizeCTEIds");
      return (LogicalPlan) rule.getMethod("apply", LogicalPlan.class).invoke(null, query);
    } catch (ReflectiveOperationException e) {
      return query;
    }
  }
}
