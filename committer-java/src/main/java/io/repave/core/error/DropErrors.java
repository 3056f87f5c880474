package io.repave.core.error;

/** Messages of commits that remove whole partitions. */
public final class DropErrors {
  private DropErrors() {}

  public static InvalidConfigException noTable(Object table) {
    return new InvalidConfigException(
        "Repave has not committed to "
            + table
            + ", so it drops nothing there. Check the path. If the files are another writer's,"
            + " run `repave adopt` first.");
  }

  /** {@code partition} is one of the table's partitions, or "" if it has none. */
  public static InvalidConfigException noColumn(Object table, String column, String partition) {
    return new InvalidConfigException(
        table
            + " has no partition column "
            + column
            + (partition.isEmpty()
                ? ": it has no partitions"
                : ". One of its partitions is " + partition)
            + ". Nothing was dropped.");
  }

  public static InvalidConfigException notComparable(String column, String value, String folder) {
    return incomparable(
        column,
        value,
        folder,
        "only one of the two values is a whole number. Nothing was dropped. Name the partitions"
            + " instead.");
  }

  public static InvalidConfigException otherDigits(String column, String value, String folder) {
    return incomparable(
        column,
        value,
        folder,
        "a number in one of the two values has more digits than in the other, as in 2025-01-05 and"
            + " 2025-1-1. Nothing was dropped. Write the value in the form of the partitions, or"
            + " name the partitions instead.");
  }

  private static InvalidConfigException incomparable(
      String column, String value, String folder, String why) {
    return new InvalidConfigException(
        "The partition "
            + folder
            + " cannot be compared with "
            + column
            + "="
            + value
            + ", because "
            + why);
  }
}
