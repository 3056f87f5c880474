package io.repave.hadoop.footer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The elements of a Parquet schema, which stand in the file in depth-first order, as a tree. */
final class ParquetTree {
  /** Deeper schemas are unknown. */
  private static final int DEPTH_MAX = 100;

  private final Optional<Node> root;
  private int at;

  ParquetTree(List<ParquetColumn> columns) {
    root = node(columns, 0).filter(it -> at == columns.size() && it.column().isGroup());
  }

  /** A column, or a group and what is in it. */
  record Node(ParquetColumn column, List<Node> children) {
    /** The number of columns that hold values, here and below. */
    int leaves() {
      return column.isGroup() ? children.stream().mapToInt(Node::leaves).sum() : 1;
    }
  }

  /** The schema itself; empty if the elements are no tree. */
  Optional<Node> root() {
    return root;
  }

  /**
   * The columns at the top that hold one value in each row, by their numbers among all columns that
   * hold values.
   */
  Map<Integer, ParquetColumn> leaves() {
    Map<Integer, ParquetColumn> leaves = new LinkedHashMap<>();
    int number = 0;
    for (Node child : root.map(Node::children).orElse(List.of())) {
      if (!child.column().isGroup() && !child.column().isRepeated()) {
        leaves.put(number, child.column());
      }
      number += child.leaves();
    }
    return leaves;
  }

  /** The names of the columns at the top. */
  Optional<List<String>> names() {
    return root.map(it -> it.children().stream().map(child -> child.column().name()).toList());
  }

  private Optional<Node> node(List<ParquetColumn> columns, int depth) {
    if (at == columns.size() || depth > DEPTH_MAX) {
      return Optional.empty();
    }
    ParquetColumn column = columns.get(at++);
    List<Node> children = new ArrayList<>();
    for (int child = 0; column.isGroup() && child < column.children(); child++) {
      Optional<Node> node = node(columns, depth + 1);
      if (node.isEmpty()) {
        return Optional.empty();
      }
      children.add(node.get());
    }
    return Optional.of(new Node(column, children));
  }
}
