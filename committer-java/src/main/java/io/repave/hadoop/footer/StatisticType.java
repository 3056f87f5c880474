package io.repave.hadoop.footer;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;

/**
 * How the statistics of a column's type are read, compared and written. A value that cannot be
 * written exactly, or whose order readers disagree about, is unknown.
 */
final class StatisticType<T> {
  /** A decimal of 38 digits has 16 bytes; one more may hold its sign. */
  private static final int DECIMAL_BYTES_MAX = 17;

  private final String name;
  private final Decoder<T> decoder;
  private final Comparator<T> order;
  private final Text<T> low;
  private final Text<T> high;

  private StatisticType(
      String name, Decoder<T> decoder, Comparator<T> order, Text<T> low, Text<T> high) {
    this.name = name;
    this.decoder = decoder;
    this.order = order;
    this.low = low;
    this.high = high;
  }

  /** Reads a value; null if it is none. */
  private interface Decoder<T> {
    T read(byte[] bytes);
  }

  /** Writes a value as a bound, if it can be one. */
  private interface Text<T> {
    Optional<String> of(T value);
  }

  /** Spark's name of the type. */
  String name() {
    return name;
  }

  /** Reads a value of the footer's statistics. */
  Optional<T> read(byte[] bytes) {
    return Optional.ofNullable(decoder.read(bytes));
  }

  Comparator<T> order() {
    return order;
  }

  boolean isLess(T left, T right) {
    return order.compare(left, right) < 0;
  }

  Optional<String> low(T value) {
    return low.of(value);
  }

  Optional<String> high(T value) {
    return high.of(value);
  }

  /** The type of a column's statistics; empty if nothing is recorded of such a column. */
  static Optional<StatisticType<?>> of(ParquetColumn column) {
    return ParquetTypes.primitive(column).map(name -> of(name, column));
  }

  private static StatisticType<?> of(String name, ParquetColumn column) {
    return switch (column.annotation()) {
      case NONE -> plain(name, column.type());
      case DECIMAL -> decimal(name, column);
      case DATE -> exact(name, StatisticType::int32, StatisticTimes::day);
      case MILLIS ->
          exact(name, StatisticType::int64, it -> StatisticTimes.millis(it, column.adjusted()));
      case MICROS ->
          exact(name, StatisticType::int64, it -> StatisticTimes.micros(it, column.adjusted()));
      case UINT8, UINT16, UINT32 ->
          exact(name, bytes -> unsigned(int32(bytes)), it -> Optional.of(it.toString()));
      case UINT64 ->
          exact(name, bytes -> unsigned64(int64(bytes)), it -> Optional.of(it.toString()));
      case TEXT ->
          new StatisticType<>(
              name,
              bytes -> bytes,
              Arrays::compareUnsigned,
              StatisticText::low,
              StatisticText::high);
      default -> plain(name, column.type());
    };
  }

  private static StatisticType<?> plain(String name, int type) {
    return switch (type) {
      case ParquetColumn.INT32 ->
          exact(name, StatisticType::int32, it -> Optional.of(it.toString()));
      case ParquetColumn.INT64 ->
          exact(name, StatisticType::int64, it -> Optional.of(it.toString()));
      case ParquetColumn.FLOAT -> floats(name);
      case ParquetColumn.DOUBLE -> doubles(name);
      // true and false bound nothing, and records hold text.
      case ParquetColumn.BOOLEAN ->
          exact(name, bytes -> bytes.length == 1 ? bytes[0] != 0 : null, it -> Optional.empty());
      case ParquetColumn.BYTE_ARRAY, ParquetColumn.FIXED ->
          new StatisticType<>(
              name,
              bytes -> bytes,
              Arrays::compareUnsigned,
              it -> Optional.empty(),
              it -> Optional.empty());
      // INT96 has no order.
      default -> exact(name, bytes -> (Long) null, it -> Optional.empty());
    };
  }

  private static <T extends Comparable<T>> StatisticType<T> exact(
      String name, Decoder<T> decoder, Text<T> text) {
    return new StatisticType<>(name, decoder, Comparator.naturalOrder(), text, text);
  }

  /**
   * The digits are those of a double: the shortest digits of a float are a number that may lie on
   * the wrong side of the value.
   */
  private static StatisticType<Float> floats(String name) {
    return new StatisticType<Float>(
        name,
        bytes -> bytes.length == 4 ? number(little(bytes).getFloat()) : null,
        (left, right) -> compare(left, right),
        it -> lowest(it.doubleValue()),
        it -> highest(it.doubleValue()));
  }

  private static StatisticType<Double> doubles(String name) {
    return new StatisticType<Double>(
        name,
        bytes -> bytes.length == 8 ? number(little(bytes).getDouble()) : null,
        StatisticType::compare,
        StatisticType::lowest,
        StatisticType::highest);
  }

  /** The zeros of both signs are equal, as in SQL. */
  private static int compare(double left, double right) {
    return left < right ? -1 : left > right ? 1 : 0;
  }

  /** A zero may stand for a zero of the other sign. */
  private static Optional<String> lowest(double value) {
    return Double.isInfinite(value)
        ? Optional.empty()
        : Optional.of(Double.toString(value == 0 ? -0.0 : value));
  }

  private static Optional<String> highest(double value) {
    return Double.isInfinite(value)
        ? Optional.empty()
        : Optional.of(Double.toString(value == 0 ? 0.0 : value));
  }

  private static Float number(float value) {
    return Float.isNaN(value) ? null : Float.valueOf(value);
  }

  private static Double number(double value) {
    return Double.isNaN(value) ? null : Double.valueOf(value);
  }

  private static StatisticType<?> decimal(String name, ParquetColumn column) {
    Decoder<BigInteger> decoder =
        switch (column.type()) {
          case ParquetColumn.INT32 -> bytes -> big(int32(bytes));
          case ParquetColumn.INT64 -> bytes -> big(int64(bytes));
          default ->
              bytes ->
                  bytes.length == 0 || bytes.length > DECIMAL_BYTES_MAX
                      ? null
                      : new BigInteger(bytes);
        };
    return exact(
        name, decoder, it -> Optional.of(new BigDecimal(it, column.scale()).toPlainString()));
  }

  private static BigInteger big(Number value) {
    return value == null ? null : BigInteger.valueOf(value.longValue());
  }

  private static Long unsigned(Integer value) {
    return value == null ? null : Integer.toUnsignedLong(value);
  }

  private static BigInteger unsigned64(Long value) {
    return value == null ? null : new BigInteger(Long.toUnsignedString(value));
  }

  private static Integer int32(byte[] bytes) {
    return bytes.length == 4 ? little(bytes).getInt() : null;
  }

  private static Long int64(byte[] bytes) {
    return bytes.length == 8 ? little(bytes).getLong() : null;
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
