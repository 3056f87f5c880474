package io.repave.core.follow;

import io.repave.core.record.PartitionEscapes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The type of a partition column, by the names of its folders: Spark's own rule. Python has the
 * same rule in {@code _snapshot/inference.py}; {@code contract/partition-types.json} holds both to
 * it.
 *
 * @param name as in a Spark schema; "void" for null
 */
record PartitionType(String name) {
  static final PartitionType NULL = new PartitionType("void");
  static final PartitionType STRING = new PartitionType("string");
  private static final PartitionType INTEGER = new PartitionType("integer");
  private static final PartitionType LONG = new PartitionType("long");
  private static final PartitionType DOUBLE = new PartitionType("double");
  private static final PartitionType DATE = new PartitionType("date");
  private static final PartitionType TIMESTAMP = new PartitionType("timestamp");

  private static final int DIGITS_MAX = 38;
  private static final int INTEGER_DIGITS = 10;
  private static final int LONG_DIGITS = 20;
  private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]+");
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");
  private static final Pattern FLOATING =
      Pattern.compile(
          "[+-]?(NaN|Infinity|([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?"
              + "|0[xX]([0-9a-fA-F]+\\.?[0-9a-fA-F]*|\\.[0-9a-fA-F]+)[pP][+-]?[0-9]+[dDfF]?)");
  private static final Pattern DAY = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");
  private static final Pattern MOMENT =
      Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9])?");
  private static final Pattern DECIMAL = Pattern.compile("decimal\\(([0-9]{1,2}),0\\)");

  /** The type of one value, as it is written in the folder's name. */
  static PartitionType of(String folder) {
    if (folder.equals(PartitionEscapes.NULL)) {
      return NULL;
    }
    if (WHOLE.matcher(folder).matches()) {
      int bits = new BigInteger(folder).bitLength();
      if (bits < Long.SIZE) {
        return bits < Integer.SIZE ? INTEGER : LONG;
      }
    }
    int digits = digits(folder);
    if (digits > 0) {
      return decimal(digits);
    }
    if (FLOATING.matcher(folder.trim()).matches()) {
      return DOUBLE;
    }
    if (isMoment(PartitionEscapes.unescape(folder))) {
      return TIMESTAMP;
    }
    return isDay(folder) ? DATE : STRING;
  }

  /** The type that holds the values of both. */
  PartitionType wider(PartitionType other) {
    if (equals(other) || other.equals(NULL)) {
      return this;
    }
    if (equals(NULL)) {
      return other;
    }
    Set<PartitionType> both = Set.of(this, other);
    if (both.equals(Set.of(INTEGER, LONG))) {
      return LONG;
    }
    if (both.equals(Set.of(INTEGER, DOUBLE))) {
      return DOUBLE;
    }
    if (both.equals(Set.of(DATE, TIMESTAMP))) {
      return TIMESTAMP;
    }
    boolean exact = wholeDigits() > 0 && other.wholeDigits() > 0;
    return exact
        ? decimal(Math.min(DIGITS_MAX, Math.max(wholeDigits(), other.wholeDigits())))
        : STRING;
  }

  /** The name of the type of a column whose values have this type. */
  String columnType() {
    return equals(NULL) ? STRING.name : name;
  }

  /** The value that a folder's name stands for, as a Delta log writes it; never null. */
  String value(String folder) {
    return switch (name) {
      case "integer", "long" -> new BigInteger(folder).toString();
      case "double" -> Double.toString(Double.parseDouble(folder.trim()));
      // Readers do not accept a date as a time.
      case "timestamp" -> PartitionEscapes.unescape(folder) + (isDay(folder) ? " 00:00:00" : "");
      default ->
          wholeDigits() > 0
              ? new BigDecimal(folder).toPlainString()
              : PartitionEscapes.unescape(folder);
    };
  }

  private static PartitionType decimal(int digits) {
    return new PartitionType("decimal(" + digits + ",0)");
  }

  /** The number of digits of an exact whole number; 0 for any other type. */
  private int wholeDigits() {
    if (equals(INTEGER)) {
      return INTEGER_DIGITS;
    }
    Matcher decimal = DECIMAL.matcher(name);
    return equals(LONG) ? LONG_DIGITS : decimal.matches() ? Integer.parseInt(decimal.group(1)) : 0;
  }

  /** How many digits a number has that is whole as it is written; 0 for any other text. */
  private static int digits(String folder) {
    if (!NUMBER.matcher(folder).matches()) {
      return 0;
    }
    try {
      BigDecimal number = new BigDecimal(folder);
      int found = number.scale() > 0 || number.scale() < -DIGITS_MAX ? 0 : length(number);
      return found <= DIGITS_MAX ? found : 0;
    } catch (NumberFormatException tooLarge) {
      return 0;
    }
  }

  private static int length(BigDecimal number) {
    return number.precision() - number.scale();
  }

  private static boolean isDay(String text) {
    try {
      return DAY.matcher(text).matches() && LocalDate.parse(text).getYear() > 0;
    } catch (DateTimeException e) {
      return false;
    }
  }

  private static boolean isMoment(String text) {
    try {
      return MOMENT.matcher(text).matches()
          && LocalDateTime.parse(text.replace(' ', 'T')).getYear() > 0;
    } catch (DateTimeException e) {
      return false;
    }
  }
}
