package io.repave.hadoop.footer;

import java.util.Comparator;
import java.util.Optional;

/**
 * Some rows of one column: a page, a whole row group, or several pages.
 *
 * @param first the number of the first row in the file
 * @param end the number of the row after the last one
 * @param low at most each value; empty when it is unknown, and when there are only nulls
 * @param high at least each value
 * @param place where it is in the file, for messages
 */
record Page<T>(long first, long end, Nulls nulls, Optional<T> low, Optional<T> high, String place) {
  /** How many of the values are nulls. */
  enum Nulls {
    NONE,
    SOME,
    ALL,
    UNKNOWN;

    /** Of this many values, with this many nulls, of which a negative number is unknown. */
    static Nulls of(long values, long nulls) {
      if (nulls < 0 || nulls > values) {
        return UNKNOWN;
      }
      return nulls == 0 ? NONE : nulls == values ? ALL : SOME;
    }
  }

  boolean mayHaveNulls() {
    return nulls != Nulls.NONE;
  }

  boolean hasNulls() {
    return nulls == Nulls.SOME || nulls == Nulls.ALL;
  }

  boolean mayHaveValues() {
    return nulls != Nulls.ALL;
  }

  boolean hasValues() {
    return nulls == Nulls.NONE || nulls == Nulls.SOME || low.isPresent();
  }

  boolean isBounded() {
    return low.isPresent() && high.isPresent();
  }

  /** This page and the one after it. */
  Page<T> and(Page<T> next, Comparator<T> order) {
    Nulls both = nulls == next.nulls ? nulls : Nulls.SOME;
    if (nulls == Nulls.UNKNOWN || next.nulls == Nulls.UNKNOWN) {
      both = Nulls.UNKNOWN;
    }
    boolean bounded =
        (isBounded() || !mayHaveValues()) && (next.isBounded() || !next.mayHaveValues());
    return new Page<>(
        first,
        next.end,
        both,
        bounded ? least(low, next.low, order) : Optional.empty(),
        bounded ? least(high, next.high, order.reversed()) : Optional.empty(),
        place);
  }

  private static <T> Optional<T> least(Optional<T> one, Optional<T> other, Comparator<T> order) {
    return one.filter(it -> other.isEmpty() || order.compare(it, other.get()) <= 0)
        .or(() -> other.isPresent() ? other : one);
  }
}
