package io.repave.hadoop.footer;

import io.repave.core.ledger.ColumnBounds;
import java.util.Optional;
import java.util.OptionalLong;

/** The statistics of one column, merged over the row groups of a file. */
final class ColumnStatistics<T> {
  private static final long UNKNOWN = -1;

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

  /** What the footer says of the column in one row group. */
  static final class Chunk {
    private long values = UNKNOWN;
    private long nulls = UNKNOWN;
    private Optional<byte[]> min = Optional.empty();
    private Optional<byte[]> max = Optional.empty();

    /** {@code ColumnMetaData}. */
    void read(CompactThrift thrift, int field) throws CompactThrift.DamagedException {
      switch (field) {
        case 5 -> {
          thrift.require(CompactThrift.I64);
          values = thrift.number();
        }
        case 12 -> {
          thrift.require(CompactThrift.STRUCT);
          thrift.struct(inner -> readStatistics(thrift, inner));
        }
        default -> thrift.skip();
      }
    }

    /** The older members {@code max} and {@code min} have no defined order. */
    private void readStatistics(CompactThrift thrift, int field)
        throws CompactThrift.DamagedException {
      switch (field) {
        case 3 -> {
          thrift.require(CompactThrift.I64);
          nulls = thrift.number();
        }
        case 5 -> max = Optional.of(thrift.binary());
        case 6 -> min = Optional.of(thrift.binary());
        default -> thrift.skip();
      }
    }
  }

  void add(Chunk chunk) {
    chunks++;
    counted &= chunk.nulls >= 0 && chunk.nulls <= chunk.values;
    nulls += Math.max(0, chunk.nulls);
    if (chunk.values == 0 || counted && chunk.nulls == chunk.values) {
      return;
    }
    Optional<T> min = chunk.min.flatMap(type::read);
    Optional<T> max = chunk.max.flatMap(type::read);
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
