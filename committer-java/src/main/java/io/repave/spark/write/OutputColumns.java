package io.repave.spark.write;

import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.ScalaMembers;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.LocalTableScanExec;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Option;

/** The output columns of a physical plan, which a write may give other names. */
record OutputColumns(SparkPlan plan, List<?> names) {
  /** Deeper plans are not looked through. */
  private static final int DEPTH_MAX = 1_000;

  /** The name of an output column. */
  Optional<String> name(ExprId id) {
    List<?> output = ScalaMembers.list(plan, "output");
    for (int i = 0; i < Math.min(output.size(), names.size()); i++) {
      if (((Attribute) output.get(i)).exprId().equals(id)) {
        return Optional.of((String) names.get(i));
      }
    }
    return Optional.empty();
  }

  /** The output column of this name, if there is one; Spark ignores the case. */
  Optional<Attribute> column(String name) {
    List<?> output = ScalaMembers.list(plan, "output");
    for (int i = 0; i < Math.min(output.size(), names.size()); i++) {
      if (((String) names.get(i)).equalsIgnoreCase(name)) {
        return Optional.of((Attribute) output.get(i));
      }
    }
    return Optional.empty();
  }

  boolean isNullable(String name) {
    return column(name).map(Attribute::nullable).orElse(true);
  }

  /** Whether a projection sets the column to one value in all rows. */
  boolean isConstant(String name) {
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
      List<?> children = ScalaMembers.list(node, "children");
      if (children.size() != 1) {
        return false;
      }
      node = PlanNodes.inner((SparkPlan) children.get(0));
    }
    return false;
  }

  private static Optional<Expression> none() {
    return Optional.empty();
  }

  /** The expression that a projection computes, without Spark's treatment of empty texts. */
  private static Optional<Expression> value(ProjectExec project, ExprId id) {
    for (Object each : ScalaMembers.list(project, "projectList")) {
      if (each instanceof Alias alias && alias.exprId().equals(id)) {
        Expression value = alias.child();
        boolean wrapped = value.getClass().getSimpleName().equals("Empty2Null");
        return Optional.of(
            wrapped ? (Expression) ScalaMembers.list(value, "children").get(0) : value);
      }
    }
    return Optional.empty();
  }

  /** Whether {@code query} or this plan, which may have been simplified, has no two rows. */
  boolean hasAtMostOneRow(LogicalPlan query) {
    boolean wrapped = query.getClass().getSimpleName().equals("WriteFiles");
    Option<Object> rowsMax =
        (wrapped ? (LogicalPlan) ScalaMembers.list(query, "children").get(0) : query).maxRows();
    if (rowsMax.isDefined() && ((Long) rowsMax.get()) <= 1) {
      return true;
    }
    SparkPlan node = plan;
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
      List<?> children = ScalaMembers.list(node, "children");
      if (children.size() != 1) {
        break;
      }
      node = PlanNodes.inner((SparkPlan) children.get(0));
    }
    return node instanceof LocalTableScanExec scan
        ? ScalaMembers.list(scan, "rows").size() <= 1
        : node.getClass().getSimpleName().equals("EmptyRelationExec");
  }
}
