package io.repave.hadoop.footer;

import java.util.Optional;

/** What a footer says of one column in one row group. */
final class ColumnChunk {
  static final long UNKNOWN = -1;

  private long values = UNKNOWN;
  private long nulls = UNKNOWN;
  private Optional<byte[]> min = Optional.empty();
  private Optional<byte[]> max = Optional.empty();
  private Range offsetIndex = Range.NONE;
  private Range columnIndex = Range.NONE;
  private boolean encrypted;

  /** Bytes of the file. */
  record Range(long offset, int length) {
    static final Range NONE = new Range(0, 0);
  }

  /** With nulls. */
  long values() {
    return values;
  }

  long nulls() {
    return nulls;
  }

  Optional<byte[]> min() {
    return min;
  }

  Optional<byte[]> max() {
    return max;
  }

  Range offsetIndex() {
    return offsetIndex;
  }

  Range columnIndex() {
    return columnIndex;
  }

  boolean isEncrypted() {
    return encrypted;
  }

  /** {@code ColumnChunk}. */
  void read(CompactThrift thrift, int field) throws CompactThrift.DamagedException {
    switch (field) {
      case 3 -> {
        thrift.require(CompactThrift.STRUCT);
        thrift.struct(inner -> readData(thrift, inner));
      }
      case 4 -> offsetIndex = new Range(offset(thrift), offsetIndex.length());
      case 5 -> offsetIndex = new Range(offsetIndex.offset(), thrift.small());
      case 6 -> columnIndex = new Range(offset(thrift), columnIndex.length());
      case 7 -> columnIndex = new Range(columnIndex.offset(), thrift.small());
      case 8 -> {
        encrypted = true;
        thrift.skip();
      }
      default -> thrift.skip();
    }
  }

  private static long offset(CompactThrift thrift) throws CompactThrift.DamagedException {
    thrift.require(CompactThrift.I64);
    return thrift.number();
  }

  /** {@code ColumnMetaData}. */
  private void readData(CompactThrift thrift, int field) throws CompactThrift.DamagedException {
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
