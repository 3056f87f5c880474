package io.repave.hadoop.footer;

import io.repave.core.ledger.ColumnBounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads the bounds of a few columns from the row groups of a Parquet footer. The statistics of all
 * other columns are passed over.
 */
final class FooterBounds {
  /** The order that the format defines for a type. Without it, bounds mean nothing. */
  private static final int TYPE_ORDER = 1;

  private final CompactThrift thrift;

  /** By the number of the column among those that hold values. */
  private final Map<Integer, ColumnStatistics<?>> wanted = new TreeMap<>();

  private final TreeSet<Integer> ordered = new TreeSet<>();
  private int groups;
  private int leaf;

  FooterBounds(CompactThrift thrift) {
    this.thrift = thrift;
  }

  /** Chooses columns of the schema. Nested and repeated ones have no bounds. */
  void choose(List<ParquetColumn> columns, StatsColumns names) {
    if (names.names().isEmpty()) {
      return;
    }
    new ParquetTree(columns)
        .root()
        .ifPresent(
            root -> {
              int number = 0;
              for (ParquetTree.Node child : root.children()) {
                ParquetColumn column = child.column();
                if (names.names().contains(column.name()) && !column.isRepeated()) {
                  choose(number, column);
                }
                number += child.leaves();
              }
            });
  }

  private void choose(int number, ParquetColumn column) {
    StatisticType.of(column)
        .ifPresent(it -> wanted.put(number, new ColumnStatistics<>(column.name(), it)));
  }

  /** Reads the list of row groups. */
  void readGroups() throws CompactThrift.DamagedException {
    if (wanted.isEmpty()) {
      thrift.skip();
      return;
    }
    thrift.require(CompactThrift.LIST);
    thrift.structs(() -> groups++, this::readGroup, () -> {});
  }

  private void readGroup(int field) throws CompactThrift.DamagedException {
    if (field != 1) {
      thrift.skip();
      return;
    }
    thrift.require(CompactThrift.LIST);
    leaf = 0;
    ColumnStatistics.Chunk[] chunk = new ColumnStatistics.Chunk[1];
    thrift.structs(
        () -> chunk[0] = new ColumnStatistics.Chunk(),
        inner -> readChunk(inner, chunk[0]),
        () -> {
          if (wanted.containsKey(leaf)) {
            wanted.get(leaf).add(chunk[0]);
          }
          leaf++;
        });
  }

  private void readChunk(int field, ColumnStatistics.Chunk chunk)
      throws CompactThrift.DamagedException {
    if (field == 3 && wanted.containsKey(leaf)) {
      thrift.require(CompactThrift.STRUCT);
      thrift.struct(inner -> chunk.read(thrift, inner));
    } else {
      thrift.skip();
    }
  }

  /** Reads the list of the columns' orders. */
  void readOrders() throws CompactThrift.DamagedException {
    thrift.require(CompactThrift.LIST);
    leaf = 0;
    thrift.structs(
        () -> {},
        order -> {
          if (order == TYPE_ORDER) {
            ordered.add(leaf);
          }
          thrift.skip();
        },
        () -> leaf++);
  }

  /** {@code says} is the rest of the footer, which limits what the statistics mean. */
  List<ColumnBounds> bounds(Writer says) {
    List<ColumnBounds> bounds = new ArrayList<>();
    wanted.forEach(
        (number, column) -> {
          String type = column.typeName();
          boolean isTime = type.equals("date") || type.startsWith("timestamp");
          boolean mayHideNan =
              (type.equals("float") || type.equals("double")) && !says.includesNan();
          ColumnBounds found =
              column.bounds(
                  groups, ordered.contains(number) && !(isTime && says.legacyTimes()), !mayHideNan);
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
   */
  record Writer(boolean includesNan, boolean legacyTimes) {}
}
