package io.repave.hadoop.footer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads what the row groups of a footer say of a few columns. All other columns are passed over. A
 * column is known by its number among those that hold values.
 */
final class RowGroups {
  /** The order that the format defines for a type. Without it, bounds mean nothing. */
  private static final int TYPE_ORDER = 1;

  /** The number of a row group has 16 bits. */
  private static final int GROUPS_MAX = 1 << 15;

  private final CompactThrift thrift;
  private final Set<Integer> wanted = new HashSet<>();
  private final Set<Integer> ordered = new HashSet<>();
  private final List<Group> groups = new ArrayList<>();
  private Map<Integer, ColumnChunk> chunks;
  private ColumnChunk chunk;
  private long rows;
  private int column;

  RowGroups(CompactThrift thrift) {
    this.thrift = thrift;
  }

  /** A row group with those of the wanted columns that it has. */
  record Group(long rows, Map<Integer, ColumnChunk> chunks) {}

  void want(int number) {
    wanted.add(number);
  }

  List<Group> all() {
    return groups;
  }

  /** Whether a column has the order of its type. */
  boolean isOrdered(int number) {
    return ordered.contains(number);
  }

  /** Reads the list of row groups. */
  void read() throws CompactThrift.DamagedException {
    if (wanted.isEmpty()) {
      thrift.skip();
      return;
    }
    thrift.require(CompactThrift.LIST);
    groups.clear();
    thrift.structs(GROUPS_MAX, this::begin, this::readGroup, this::end);
  }

  private void begin() {
    chunks = new HashMap<>();
    rows = ColumnChunk.UNKNOWN;
  }

  private void end() {
    groups.add(new Group(rows, chunks));
  }

  private void readGroup(int field) throws CompactThrift.DamagedException {
    switch (field) {
      case 1 -> {
        thrift.require(CompactThrift.LIST);
        column = 0;
        thrift.structs(
            ParquetColumn.ELEMENTS_MAX,
            () -> chunk = new ColumnChunk(),
            this::readChunk,
            this::endChunk);
      }
      case 3 -> {
        thrift.require(CompactThrift.I64);
        rows = thrift.number();
      }
      default -> thrift.skip();
    }
  }

  private void readChunk(int field) throws CompactThrift.DamagedException {
    if (wanted.contains(column)) {
      chunk.read(thrift, field);
    } else {
      thrift.skip();
    }
  }

  private void endChunk() {
    if (wanted.contains(column)) {
      chunks.put(column, chunk);
    }
    column++;
  }

  /** Reads the list of the columns' orders. */
  void readOrders() throws CompactThrift.DamagedException {
    thrift.require(CompactThrift.LIST);
    column = 0;
    thrift.structs(
        ParquetColumn.ELEMENTS_MAX,
        () -> {},
        order -> {
          if (order == TYPE_ORDER) {
            ordered.add(column);
          }
          thrift.skip();
        },
        () -> column++);
  }
}
