package io.repave.spark.write;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.footer.FileOrder;
import io.repave.hadoop.footer.SortColumn;
import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.ScalaMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.command.DataWritingCommandExec;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.WriteFilesExec;
import org.apache.spark.sql.internal.SQLConf;

/**
 * The order in which the plan of a write delivers rows to the writers of files. Spark's writer adds
 * a sort by the partition columns unless the rows come sorted by them, and that sort replaces the
 * order of a query. So the rows must come sorted by the partition columns first.
 */
final class DeliveredOrder {
  private static final String CONCURRENT_WRITERS = "spark.sql.maxConcurrentOutputFileWriters";

  private final InsertIntoHadoopFsRelationCommand insert;
  private final OutputColumns rows;
  private final boolean planned;
  private final List<Sorted> delivered = new ArrayList<>();

  DeliveredOrder(DataWritingCommandExec write) {
    insert = (InsertIntoHadoopFsRelationCommand) write.cmd();
    SparkPlan child = PlanNodes.inner(write.child());
    // Without this node, Spark decides after the job's set-up whether it adds its sort.
    planned = child instanceof WriteFilesExec;
    rows =
        new OutputColumns(
            planned ? PlanNodes.inner(((WriteFilesExec) child).child()) : child,
            ScalaMembers.list(insert, "outputColumnNames"));
    for (Object each : ScalaMembers.list(rows.plan(), "outputOrdering")) {
      delivered.add(sorted((SortOrder) each));
    }
  }

  /** One step of the order: the columns that have it, if it is that of columns. */
  private record Sorted(List<String> columns, boolean descending, boolean nullsLast) {
    boolean isOf(String column) {
      return columns.stream().anyMatch(column::equalsIgnoreCase);
    }

    @Override
    public String toString() {
      String name = columns.isEmpty() ? "an expression" : columns.get(0);
      return name + (descending ? " desc" : "");
    }
  }

  private Sorted sorted(SortOrder order) {
    List<String> columns = new ArrayList<>();
    for (Object expression : ScalaMembers.list(order, "children")) {
      if (expression instanceof Attribute attribute) {
        rows.name(attribute.exprId()).ifPresent(columns::add);
      }
    }
    return new Sorted(
        columns,
        order.direction().sql().equals("DESC"),
        order.nullOrdering().sql().toUpperCase(Locale.ROOT).endsWith("LAST"));
  }

  /** Throws unless the rows of each file come in the order. */
  void require(FileOrder order, Location table) throws InvalidConfigException {
    List<String> partitions = PlanNodes.partitionColumns(insert);
    for (SortColumn column : order.columns()) {
      if (partitions.stream().anyMatch(column.name()::equalsIgnoreCase)) {
        throw OrderErrors.orderOfPartitionColumn(column.name());
      }
      if (rows.column(column.name()).isEmpty()) {
        throw OrderErrors.orderOfUnknownColumn(column.name(), rows.names());
      }
    }
    List<String> dynamic = partitions.subList(insert.staticPartitions().size(), partitions.size());
    String writers = SQLConf.get().getConfString(CONCURRENT_WRITERS, "0");
    if (!dynamic.isEmpty() && !writers.equals("0")) {
      throw OrderErrors.orderWithConcurrentWriters(CONCURRENT_WRITERS, writers);
    }
    if (!rows.hasAtMostOneRow(insert.query()) && !isDelivered(order, dynamic)) {
      throw insert.bucketSpec().isDefined()
          ? OrderErrors.orderOfBuckets(table, order, delivered.toString())
          : OrderErrors.orderNotDelivered(table, order, delivered.toString(), dynamic);
    }
  }

  /** A column with one value needs no place in the order. */
  private boolean isDelivered(FileOrder order, List<String> partitions) {
    int at = 0;
    for (String partition : partitions) {
      if (at < delivered.size() && delivered.get(at).isOf(partition)) {
        at++;
      } else if (!planned || !rows.isConstant(partition)) {
        return false;
      }
    }
    if (insert.bucketSpec().isDefined()) {
      // The number of the bucket, which is no column.
      if (at == delivered.size() || !delivered.get(at).columns().isEmpty()) {
        return false;
      }
      at++;
    }
    for (SortColumn column : order.columns()) {
      Optional<Sorted> next =
          at < delivered.size() ? Optional.of(delivered.get(at)) : Optional.empty();
      if (next.isPresent() && fits(next.get(), column)) {
        at++;
      } else if (!rows.isConstant(column.name())) {
        return false;
      }
    }
    return true;
  }

  private boolean fits(Sorted sorted, SortColumn column) {
    return sorted.isOf(column.name())
        && sorted.descending() == column.descending()
        && (sorted.nullsLast() == column.nullsLast() || !rows.isNullable(column.name()));
  }
}
