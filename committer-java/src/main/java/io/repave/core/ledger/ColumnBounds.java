package io.repave.core.ledger;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is known of a column's values in one file. {@code low} is at most each value that is not
 * null, and {@code high} at least; they need not be values of the column.
 *
 * @param type Spark's name of the type, which says how the values are written (protocol §3)
 * @param nulls the number of nulls
 */
public record ColumnBounds(
    String column, String type, Optional<String> low, Optional<String> high, OptionalLong nulls) {
  /** The most columns of a file with bounds. */
  public static final int COLUMNS_MAX = 8;

  public static final int NAME_BYTES_MAX = 1_024;
  public static final int VALUE_BYTES_MAX = 64;
  private static final int TYPE_BYTES_MAX = 64;

  /** Whether a record may hold this. */
  public boolean isPossible() {
    return !column.isEmpty()
        && BoundedText.fits(column, NAME_BYTES_MAX)
        && BoundedText.fits(type, TYPE_BYTES_MAX)
        && fits(low)
        && fits(high)
        && nulls.orElse(0) >= 0
        && nulls.orElse(0) <= FileFacts.NUMBER_MAX;
  }

  private static boolean fits(Optional<String> value) {
    return value.isEmpty() || BoundedText.fits(value.get(), VALUE_BYTES_MAX);
  }
}
