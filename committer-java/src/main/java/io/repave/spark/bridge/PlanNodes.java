package io.repave.spark.bridge;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.FileSourceConstantMetadataAttribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.command.DataWritingCommandExec;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.FileTable;
import scala.Option;
import scala.runtime.BoxedUnit;

/** Reads the nodes of Spark's plans. */
public final class PlanNodes {
  private PlanNodes() {}

  /** The names of the columns whose values name the folders. */
  public static List<String> partitionColumns(InsertIntoHadoopFsRelationCommand insert) {
    return ScalaMembers.list(insert, "partitionColumns").stream()
        .map(it -> ((Attribute) it).name())
        .toList();
  }

  /** The nodes of a plan, in its order. */
  public static List<LogicalPlan> all(LogicalPlan plan) {
    List<LogicalPlan> nodes = new ArrayList<>();
    plan.foreach(
        node -> {
          nodes.add(node);
          return BoxedUnit.UNIT;
        });
    return nodes;
  }

  /**
   * The files that a node reads by their path. Spark has a second form of such nodes, for sources
   * that the session's {@code useV1SourceList} leaves out.
   */
  public static Optional<FileIndex> files(LogicalPlan node) {
    if (node instanceof LogicalRelation path && path.relation() instanceof HadoopFsRelation files) {
      return Optional.of(files.location());
    }
    return node instanceof DataSourceV2Relation path && path.table() instanceof FileTable files
        ? Optional.of(files.fileIndex())
        : Optional.empty();
  }

  /**
   * Whether a node reads a table that may have other rows the next time, without a path that shows
   * it: a table of Hive that Spark leaves to Hive's readers, or one of a catalog such as Iceberg's.
   */
  public static boolean isTableWithoutFiles(LogicalPlan node) {
    return node instanceof HiveTableRelation
        || node instanceof DataSourceV2Relation source && !(source.table() instanceof FileTable);
  }

  /** The catalog's table that a scan reads by its name. */
  public static Optional<CatalogTable> catalogTable(FileSourceScanExec scan) {
    Option<LogicalPlan> planned = scan.logicalLink();
    if (planned.isEmpty()) {
      return Optional.empty();
    }
    return all(planned.get()).stream()
        .filter(it -> it instanceof LogicalRelation read && read.relation().equals(scan.relation()))
        .map(it -> ((LogicalRelation) it).catalogTable())
        .filter(Option::isDefined)
        .map(Option::get)
        .findFirst();
  }

  /** The plan in the nodes of adaptive execution. */
  public static SparkPlan inner(SparkPlan plan) {
    if (plan instanceof AdaptiveSparkPlanExec adaptive) {
      return inner(adaptive.executedPlan());
    }
    return plan instanceof QueryStageExec stage ? inner(stage.plan()) : plan;
  }

  /** Whether Spark leaves out files by a filter of their metadata, such as their size. */
  public static boolean leavesOutFiles(Expression filter) {
    List<?> columns = ScalaMembers.list(filter.references(), "toSeq");
    return !columns.isEmpty() && columns.stream().allMatch(PlanNodes::isOfFile);
  }

  private static boolean isOfFile(Object column) {
    return column instanceof AttributeReference attribute
        && FileSourceConstantMetadataAttribute.unapply(attribute).isDefined();
  }

  /** The commands that write among the nodes of a plan, in their order. */
  public static List<DataWritingCommandExec> writes(List<SparkPlan> nodes) {
    return nodes.stream()
        .filter(DataWritingCommandExec.class::isInstance)
        .map(DataWritingCommandExec.class::cast)
        .toList();
  }

  /** The nodes of a physical plan, in its order, without those of adaptive execution. */
  public static List<SparkPlan> all(SparkPlan plan) {
    return all(plan, PlanNodes::inner);
  }

  /** The same before adaptive execution, which removes the scans of a query without rows. */
  public static List<SparkPlan> allAtFirst(SparkPlan plan) {
    return all(plan, PlanNodes::first);
  }

  private static SparkPlan first(SparkPlan plan) {
    if (plan instanceof AdaptiveSparkPlanExec adaptive) {
      return first(adaptive.initialPlan());
    }
    return plan instanceof QueryStageExec stage ? first(stage.plan()) : plan;
  }

  private static List<SparkPlan> all(SparkPlan plan, UnaryOperator<SparkPlan> inner) {
    List<SparkPlan> nodes = new ArrayList<>();
    inner
        .apply(plan)
        .foreach(
            node -> {
              if (inner.apply(node) == node) {
                nodes.add(node);
              } else {
                nodes.addAll(all(node, inner));
              }
              return BoxedUnit.UNIT;
            });
    return nodes;
  }
}
