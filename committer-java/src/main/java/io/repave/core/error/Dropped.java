package io.repave.core.error;

/** The sentence about a table that was dropped during an operation. */
final class Dropped {
  private Dropped() {}

  static String table(Object table, String when) {
    return "The table "
        + table
        + " was dropped, or its records under _repave/ were deleted, "
        + when
        + ".";
  }
}
