package io.repave.core.ledger;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is known of a file's content. Every fact is optional: a reader must not need it, and a file
 * of another writer or of version 0.1 has none.
 *
 * @param rows the number of rows
 * @param schema the columns, of which partition columns are not part
 * @param columns the bounds of a few columns, at most {@link ColumnBounds#COLUMNS_MAX}
 * @param ordered the order in which each page of the file sorts after the one before it, as {@code
 *     ORDER BY} writes it
 */
public record FileFacts(
    OptionalLong rows,
    Optional<Schema> schema,
    List<ColumnBounds> columns,
    Optional<String> ordered) {
  public static final FileFacts NONE =
      new FileFacts(OptionalLong.empty(), Optional.empty(), List.of(), Optional.empty());

  /** The longest order in a record. */
  public static final int ORDERED_BYTES_MAX = 1_024;

  /**
   * The largest number in a record. Every JSON reader can represent it, and adding 1 to it does not
   * overflow.
   */
  public static final long NUMBER_MAX = 1L << 53;

  public FileFacts {
    columns = List.copyOf(columns);
  }

  /** The facts of a file with this number of rows; none if no file can have so many. */
  public static FileFacts ofRows(long rows) {
    return isPossible(rows)
        ? new FileFacts(OptionalLong.of(rows), Optional.empty(), List.of(), Optional.empty())
        : NONE;
  }

  /** These facts with another schema. */
  public FileFacts withSchema(Optional<Schema> other) {
    // The same object for every file without facts, as there may be very many.
    return other == schema ? this : new FileFacts(rows, other, columns, ordered);
  }

  /** These facts with the bounds of these columns. */
  public FileFacts withColumns(List<ColumnBounds> bounds) {
    return bounds.isEmpty() && columns.isEmpty()
        ? this
        : new FileFacts(rows, schema, bounds, ordered);
  }

  /** These facts with another order. */
  public FileFacts withOrdered(Optional<String> order) {
    return order.isEmpty() && ordered.isEmpty()
        ? this
        : new FileFacts(rows, schema, columns, order);
  }

  /** Whether a record may hold this as an order. */
  public static boolean isOrder(String text) {
    return !text.isEmpty() && BoundedText.fits(text, ORDERED_BYTES_MAX);
  }

  /** Adds the rows of one more file; unknown if either is unknown or a record cannot hold them. */
  public static OptionalLong sum(OptionalLong sum, OptionalLong rows) {
    if (sum.isEmpty() || rows.isEmpty()) {
      return OptionalLong.empty();
    }
    return ofRows(sum.getAsLong() + rows.getAsLong()).rows();
  }

  private static boolean isPossible(long rows) {
    return rows >= 0 && rows <= NUMBER_MAX;
  }
}
