package io.repave.core.engine;

import io.repave.core.error.DropErrors;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.PartitionEscapes;
import io.repave.core.store.Utf8Order;
import java.math.BigInteger;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A value of a partition column, before which partitions are meant. Whole numbers compare as
 * numbers, and all else as text, so dates need the form {@code 2026-11-20}. The partition of nulls
 * is never before a value.
 */
public record PartitionBound(String column, String value) {
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]+");

  /** A year, a month, a day, an hour, and so on, as one number. */
  private static final Pattern DATE =
      Pattern.compile("(19|20)[0-9]{2}((0[1-9]|1[0-2])([0-3][0-9]([0-9]{2}){0,3})?)?");

  /** The value of the column in the name of a partition's folder, and the folder up to there. */
  public record Found(String folder, String value) {}

  /** Finds the column in a partition; empty if the partition has no such column. */
  public Optional<Found> find(String partition) {
    int from = 0;
    while (from < partition.length()) {
      int slash = partition.indexOf('/', from);
      int end = slash < 0 ? partition.length() : slash;
      String segment = partition.substring(from, end);
      int equals = segment.indexOf('=');
      if (equals > 0
          && PartitionEscapes.unescape(segment.substring(0, equals)).equalsIgnoreCase(column)) {
        String found = PartitionEscapes.unescape(segment.substring(equals + 1));
        return Optional.of(new Found(partition.substring(0, end), found));
      }
      from = end + 1;
    }
    return Optional.empty();
  }

  /**
   * Whether this value is after the found one, so that the partition is dropped. Refuses pairs
   * whose order is not clear:
   *
   * <ul>
   *   <li>a number and a text;
   *   <li>dates of different length that are written as whole numbers;
   *   <li>texts that differ in a number of another length;
   *   <li>a text and a longer one that begins with it;
   *   <li>negative numbers that are not whole.
   * </ul>
   */
  public boolean isAfter(Found found) throws InvalidConfigException {
    if (found.value().equals(PartitionEscapes.NULL)) {
      return false;
    }
    boolean isNumber = NUMBER.matcher(value).matches();
    if (isNumber != NUMBER.matcher(found.value()).matches()) {
      throw DropErrors.notComparable(column, value, found.folder());
    }
    if (isNumber) {
      if (areOtherDates(found.value(), value)) {
        throw DropErrors.otherDigits(column, value, found.folder());
      }
      return new BigInteger(found.value()).compareTo(new BigInteger(value)) < 0;
    }
    if (differInDigits(found.value(), value)) {
      throw DropErrors.otherDigits(column, value, found.folder());
    }
    if (isNegative(found.value()) || isNegative(value)) {
      throw DropErrors.negative(column, value, found.folder());
    }
    if (value.startsWith(found.value()) && !value.equals(found.value())) {
      throw DropErrors.beginning(column, value, found.folder());
    }
    return Utf8Order.compare(found.value(), value) < 0;
  }

  /** True for 202512 and 20250115: as numbers, every month is before every day. */
  private static boolean areOtherDates(String one, String other) {
    return one.length() != other.length()
        && DATE.matcher(one).matches()
        && DATE.matcher(other).matches();
  }

  private static boolean isNegative(String text) {
    return text.length() > 1 && text.charAt(0) == '-' && isDigit(text.charAt(1));
  }

  /**
   * True if the first number in which two texts differ has more digits in one of them: as text,
   * 2025-01-05 is before 2025-1-1.
   */
  private static boolean differInDigits(String one, String other) {
    int start = 0;
    int most = Math.min(one.length(), other.length());
    while (start < most && one.charAt(start) == other.charAt(start)) {
      start++;
    }
    while (start > 0 && isDigit(one.charAt(start - 1))) {
      start--;
    }
    int digits = digits(one, start);
    int otherDigits = digits(other, start);
    return digits > 0 && otherDigits > 0 && digits != otherDigits;
  }

  private static int digits(String text, int from) {
    int end = from;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    return end - from;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
