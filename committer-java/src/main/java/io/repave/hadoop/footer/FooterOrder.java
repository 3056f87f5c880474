package io.repave.hadoop.footer;

import io.repave.core.ledger.FactsReader.FileEnd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Compares a file with the order that its rows must have. */
final class FooterOrder {
  private final RowGroups groups;
  private final WantedFacts wanted;

  /** By the number of the column, in the order of the order. */
  private final Map<Integer, OrderedColumn<?>> columns = new LinkedHashMap<>();

  FooterOrder(RowGroups groups, WantedFacts wanted) {
    this.groups = groups;
    this.wanted = wanted;
  }

  /**
   * What the file's indexes show.
   *
   * @param proven the order, as far as each page of the file sorts after the one before it
   * @param disorder rows that are not in order
   */
  record Found(Optional<String> proven, Optional<Disorder> disorder) {}

  /** Finds the columns of the order in the schema, up to the first that cannot be compared. */
  void choose(ParquetTree tree) {
    Map<Integer, ParquetColumn> leaves = tree.leaves();
    for (SortColumn sort : wanted.order().columns()) {
      Optional<Integer> number = number(leaves, sort.name());
      Optional<StatisticType<?>> type = number.flatMap(it -> StatisticType.of(leaves.get(it)));
      if (type.isEmpty()) {
        return;
      }
      groups.want(number.get());
      columns.put(number.get(), new OrderedColumn<>(sort, type.get(), wanted.exactBytes()));
    }
  }

  /** Spark's names may differ in case. */
  private static Optional<Integer> number(Map<Integer, ParquetColumn> leaves, String name) {
    List<Integer> same = new ArrayList<>();
    List<Integer> similar = new ArrayList<>();
    leaves.forEach(
        (number, column) -> {
          if (column.name().equals(name)) {
            same.add(number);
          }
          if (column.name().equalsIgnoreCase(name)) {
            similar.add(number);
          }
        });
    List<Integer> found = same.isEmpty() ? similar : same;
    return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
  }

  /** {@code says} is the rest of the footer, which limits what the indexes mean. */
  Found check(FileEnd file, FooterBounds.Writer says) throws IOException {
    List<OrderedColumn<?>> comparable = new ArrayList<>();
    long rows = 0;
    for (Map.Entry<Integer, OrderedColumn<?>> each : columns.entrySet()) {
      OrderedColumn<?> column = each.getValue();
      Optional<Long> read = pages(file, each.getKey(), column);
      if (read.isEmpty() || !says.compares(column.typeName()) || !groups.isOrdered(each.getKey())) {
        break;
      }
      if (says.leavesOutValues(column.typeName())) {
        column.leavesValuesOut();
      }
      rows = read.get();
      comparable.add(column);
    }
    OrderCheck check = new OrderCheck(comparable, rows);
    Optional<Disorder> disorder = check.disorder();
    int proven = disorder.isPresent() ? 0 : check.proven();
    return new Found(
        proven == 0 ? Optional.empty() : Optional.of(wanted.order().first(proven).text()),
        disorder);
  }

  /** Reads the pages of a column; empty if the file does not say how many rows there are. */
  private Optional<Long> pages(FileEnd file, int number, OrderedColumn<?> column)
      throws IOException {
    long first = 0;
    int group = 1;
    for (RowGroups.Group each : groups.all()) {
      ColumnChunk chunk = each.chunks().get(number);
      if (chunk == null || each.rows() < 0 || each.rows() != chunk.values()) {
        return Optional.empty();
      }
      if (each.rows() > 0) {
        column.add(file, chunk, group, first, each.rows());
      }
      first = Math.addExact(first, each.rows());
      group++;
    }
    return Optional.of(first);
  }
}
