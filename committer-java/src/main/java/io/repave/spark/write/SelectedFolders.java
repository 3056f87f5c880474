package io.repave.spark.write;

import io.repave.core.record.PartitionEscapes;
import io.repave.core.store.Location;
import io.repave.hadoop.read.StorePath;
import io.repave.spark.bridge.Rewrite;
import io.repave.spark.bridge.ScalaMembers;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.Predicate$;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.PartitioningUtils;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import scala.Option;

/**
 * The folders that a scan would read if it listed the table now: those below what it reads, with
 * values that its filters of partitions select. A filter with a subquery counts as one that selects
 * each folder, as it does when Spark lists the files.
 */
final class SelectedFolders implements Predicate<Location> {
  private final List<Location> roots;
  private final boolean wholeTable;
  private final StructField[] columns;
  private final List<BasePredicate> filters;
  private final ZoneId zone;

  private SelectedFolders(
      List<Location> roots,
      boolean wholeTable,
      HadoopFsRelation relation,
      List<Expression> filters) {
    this.roots = roots;
    this.wholeTable = wholeTable;
    this.columns = relation.partitionSchema().fields();
    this.zone = zone(relation);
    Rewrite<Expression> bind = new Rewrite<>(AttributeReference.class::isInstance, this::bound);
    this.filters = filters.stream().map(it -> predicate(it.transform(bind))).toList();
  }

  /** {@code paths} are what the scan reads. */
  static SelectedFolders of(FileSourceScanExec scan, List<Path> paths, Location table) {
    List<Location> roots = paths.stream().map(it -> StorePath.of(it).at()).toList();
    List<Expression> filters =
        ScalaMembers.list(scan, "partitionFilters").stream()
            .map(Expression.class::cast)
            .filter(it -> !hasSubquery(it))
            .toList();
    boolean wholeTable = filters.isEmpty() && roots.contains(table);
    return new SelectedFolders(roots, wholeTable, scan.relation(), filters);
  }

  /** The time zone in which Spark reads the values of partitions. */
  private static ZoneId zone(HadoopFsRelation relation) {
    Option<String> own = relation.options().get(DateTimeUtils.TIMEZONE_OPTION());
    String zone = own.isDefined() ? own.get() : SQLConf.get().sessionLocalTimeZone();
    return DateTimeUtils.getZoneId(zone);
  }

  @Override
  public boolean test(Location folder) {
    if (wholeTable) {
      return true;
    }
    return roots.stream().anyMatch(it -> it.equals(folder) || it.holds(folder))
        && isSelected(folder);
  }

  private boolean isSelected(Location folder) {
    Map<String, String> named = PartitionEscapes.values(folder.key());
    Object[] values = new Object[columns.length];
    for (int i = 0; i < columns.length; i++) {
      String text = named.get(columns[i].name().toLowerCase(Locale.ROOT));
      if (text == null) {
        return false;
      }
      values[i] = value(columns[i].dataType(), text);
    }
    GenericInternalRow row = new GenericInternalRow(values);
    return filters.stream().allMatch(it -> selects(it, row));
  }

  /** Null for a value that is not of the type, as for Spark where it may read such a folder. */
  private Object value(DataType type, String text) {
    try {
      return PartitioningUtils.castPartValueToDesiredType(type, text, zone);
    } catch (RuntimeException notOfTheType) {
      return null;
    }
  }

  /** Spark's query would fail at a folder for which a filter fails, so it has not read it. */
  private static boolean selects(BasePredicate filter, InternalRow values) {
    try {
      return filter.eval(values);
    } catch (RuntimeException unknown) {
      return true;
    }
  }

  private Expression bound(Expression attribute) {
    String name = ((AttributeReference) attribute).name();
    for (int i = 0; i < columns.length; i++) {
      if (columns[i].name().equalsIgnoreCase(name)) {
        return new BoundReference(i, columns[i].dataType(), true);
      }
    }
    throw new IllegalStateException("There is no partition column " + name + ".");
  }

  private static BasePredicate predicate(Expression bound) {
    return Predicate$.MODULE$.createInterpreted(bound);
  }

  private static boolean hasSubquery(Expression filter) {
    return filter instanceof PlanExpression
        || ScalaMembers.list(filter, "children").stream()
            .anyMatch(it -> hasSubquery((Expression) it));
  }
}
