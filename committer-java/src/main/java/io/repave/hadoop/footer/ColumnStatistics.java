package io.repave.hadoop.footer;

import io.repave.core.ledger.ColumnBounds;
import java.util.Optional;
import java.util.OptionalLong;

/** The statistics of one column, merged over the row groups of a file. */
final class ColumnStatistics<T> {
  private final String column;
  private final StatisticType<T> type;
  private Optional<T> low = Optional.empty();
  private Optional<T> high = Optional.empty();
  private boolean bounded = true;
  private long nulls;
  private boolean counted = true;
  private int chunks;

  ColumnStatistics(String column, StatisticType<T> type) {
    this.column = column;
    this.type = type;
  }

  /** Adds a row group. */
  void add(ColumnChunk chunk) {
    chunks++;
    counted &= chunk.nulls() >= 0 && chunk.nulls() <= chunk.values();
    nulls += Math.max(0, chunk.nulls());
    if (chunk.values() == 0 || counted && chunk.nulls() == chunk.values()) {
      return;
    }
    Optional<T> min = chunk.min().flatMap(type::read);
    Optional<T> max = chunk.max().flatMap(type::read);
    bounded &= min.isPresent() && max.isPresent() && !type.isLess(max.get(), min.get());
    if (bounded) {
      low = low.filter(it -> !type.isLess(min.get(), it)).or(() -> min);
      high = high.filter(it -> !type.isLess(it, max.get())).or(() -> max);
    }
  }

  /** The bounds of a file with this many row groups. */
  ColumnBounds bounds(int groups, boolean ordered, boolean aboveAll) {
    boolean whole = chunks == groups;
    return new ColumnBounds(
        column,
        type.name(),
        low.filter(it -> whole && bounded && ordered).flatMap(type::low),
        high.filter(it -> whole && bounded && ordered && aboveAll).flatMap(type::high),
        whole && counted ? OptionalLong.of(nulls) : OptionalLong.empty());
  }

  String typeName() {
    return type.name();
  }
}
