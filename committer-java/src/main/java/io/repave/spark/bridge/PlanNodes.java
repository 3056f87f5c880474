package io.repave.spark.bridge;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.FileSourceConstantMetadataAttribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.LocalTableScanExec;
import org.apache.spark.sql.execution.ProjectExec;
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
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/** Reads a physical plan whose output columns have these names, on every Scala. */
public record PlanNodes(SparkPlan plan, List<?> names) {
  /** Deeper plans are not looked through. */
  private static final int DEPTH_MAX = 1_000;

  /** What a method of Spark returns. */
  public static List<?> list(Object node, String method) {
    return list(member(node, method));
  }

  /** The elements of a {@code Seq}, whose type differs between Scala 2.12 and 2.13. */
  public static List<?> list(Object seq) {
    List<Object> all = new ArrayList<>();
    for (Iterator<?> each = ((Seq<?>) seq).iterator(); each.hasNext(); ) {
      all.add(each.next());
    }
    return all;
  }

  /** The names of the columns whose values name the folders. */
  public static List<String> partitionColumns(InsertIntoHadoopFsRelationCommand insert) {
    return list(insert, "partitionColumns").stream().map(it -> ((Attribute) it).name()).toList();
  }

  /** What a method of Spark returns that not every version has. */
  public static Object member(Object node, String method) {
    try {
      Method found = node.getClass().getMethod(method);
      // Repave's own indexes are not public.
      found.setAccessible(true);
      return found.invoke(node);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Spark has no " + method, e);
    }
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
    List<?> columns = list(filter.references(), "toSeq");
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

  /** The name of an output column. */
  public Optional<String> name(ExprId id) {
    List<?> output = list(plan, "output");
    for (int i = 0; i < Math.min(output.size(), names.size()); i++) {
      if (((Attribute) output.get(i)).exprId().equals(id)) {
        return Optional.of((String) names.get(i));
      }
    }
    return Optional.empty();
  }

  /** The output column of this name, if there is one; Spark ignores the case. */
  public Optional<Attribute> column(String name) {
    List<?> output = list(plan, "output");
    for (int i = 0; i < Math.min(output.size(), names.size()); i++) {
      if (((String) names.get(i)).equalsIgnoreCase(name)) {
        return Optional.of((Attribute) output.get(i));
      }
    }
    return Optional.empty();
  }

  public boolean isNullable(String name) {
    return column(name).map(Attribute::nullable).orElse(true);
  }

  /** Whether a projection sets the column to one value in all rows. */
  public boolean isConstant(String name) {
    Optional<ExprId> id = column(name).map(Attribute::exprId);
    SparkPlan node = plan;
    for (int depth = 0; id.isPresent() && depth < DEPTH_MAX; depth++) {
      Optional<Expression> value = node instanceof ProjectExec it ? value(it, id.get()) : none();
      if (value.isPresent() && value.get().foldable()) {
        return true;
      }
      if (value.isPresent()) {
        id = value.filter(Attribute.class::isInstance).map(it -> ((Attribute) it).exprId());
      }
      List<?> children = list(node, "children");
      if (children.size() != 1) {
        return false;
      }
      node = inner((SparkPlan) children.get(0));
    }
    return false;
  }

  private static Optional<Expression> none() {
    return Optional.empty();
  }

  /** The expression that a projection computes, without Spark's treatment of empty texts. */
  private static Optional<Expression> value(ProjectExec project, ExprId id) {
    for (Object each : list(project, "projectList")) {
      if (each instanceof Alias alias && alias.exprId().equals(id)) {
        Expression value = alias.child();
        boolean wrapped = value.getClass().getSimpleName().equals("Empty2Null");
        return Optional.of(wrapped ? (Expression) list(value, "children").get(0) : value);
      }
    }
    return Optional.empty();
  }

  /** Whether {@code query} or this plan, which may have been simplified, has no two rows. */
  public boolean hasAtMostOneRow(LogicalPlan query) {
    boolean wrapped = query.getClass().getSimpleName().equals("WriteFiles");
    Option<Object> rowsMax =
        (wrapped ? (LogicalPlan) list(query, "children").get(0) : query).maxRows();
    if (rowsMax.isDefined() && ((Long) rowsMax.get()) <= 1) {
      return true;
    }
    SparkPlan node = plan;
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
      List<?> children = list(node, "children");
      if (children.size() != 1) {
        break;
      }
      node = inner((SparkPlan) children.get(0));
    }
    return node instanceof LocalTableScanExec scan
        ? list(scan, "rows").size() <= 1
        : node.getClass().getSimpleName().equals("EmptyRelationExec");
  }
}
