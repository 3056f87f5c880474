package io.repave.hadoop.footer;

import io.repave.core.ledger.ColumnBounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The bounds of a few columns, from the row groups of a Parquet footer. */
final class FooterBounds {
  private final RowGroups groups;

  /** By the number of the column among those that hold values. */
  private final Map<Integer, ColumnStatistics<?>> wanted = new TreeMap<>();

  FooterBounds(RowGroups groups) {
    this.groups = groups;
  }

  /** Chooses columns of the schema. Nested and repeated ones have no bounds. */
  void choose(ParquetTree tree, StatsColumns names) {
    tree.leaves()
        .forEach(
            (number, column) -> {
              if (names.names().contains(column.name())) {
                choose(number, column);
              }
            });
  }

  private void choose(int number, ParquetColumn column) {
    StatisticType.of(column)
        .ifPresent(
            it -> {
              groups.want(number);
              wanted.put(number, new ColumnStatistics<>(column.name(), it));
            });
  }

  /** {@code says} is the rest of the footer, which limits what the statistics mean. */
  List<ColumnBounds> bounds(Writer says) {
    List<ColumnBounds> bounds = new ArrayList<>();
    wanted.forEach(
        (number, column) -> {
          String type = column.typeName();
          for (RowGroups.Group group : groups.all()) {
            Optional.ofNullable(group.chunks().get(number)).ifPresent(column::add);
          }
          ColumnBounds found =
              column.bounds(
                  groups.all().size(),
                  groups.isOrdered(number) && !says.hasOldTimes(type),
                  !says.leavesOutValues(type));
          if (bounds.size() < ColumnBounds.COLUMNS_MAX && found.isPossible()) {
            bounds.add(found);
          }
        });
    return bounds;
  }

  /**
   * What the writer of a file did.
   *
   * @param includesNan it counts NaN among the values, as the greatest one; others leave it out, so
   *     that no number is known to be above all values
   * @param legacyTimes its days and times are those of another calendar
   * @param collations some texts are compared by the rules of a language
   */
  record Writer(boolean includesNan, boolean legacyTimes, boolean collations) {
    boolean hasOldTimes(String type) {
      return legacyTimes && (type.equals("date") || type.startsWith("timestamp"));
    }

    /** Whether there may be values of this type, NaN, above the upper bounds. */
    boolean leavesOutValues(String type) {
      return !includesNan && (type.equals("float") || type.equals("double"));
    }

    /** Whether Spark sorts values of this type as the file's bounds compare them. */
    boolean compares(String type) {
      return !hasOldTimes(type) && !(collations && type.equals("string"));
    }
  }
}
