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
            + " 2025-1-1, or in 20250115 and 202512. Nothing was dropped. Write the value in the form"
            + " of the partitions, or name the partitions instead.");
  }

  public static InvalidConfigException beginning(String column, String value, String folder) {
    return incomparable(
        column,
        value,
        folder,
        "the value of the partition is the beginning of the other one, as 2025-01-01 is of"
            + " 2025-01-01 00:00:00. The partition may hold rows from after that value. Nothing was"
            + " dropped. Write the value in the form of the partitions, or name the partitions"
            + " instead.");
  }

  public static InvalidConfigException negative(String column, String value, String folder) {
    return incomparable(
        column,
        value,
        folder,
        "one of the two is a negative number, and they are not both whole numbers. Nothing was"
            + " dropped. Name the partitions instead.");
  }

  /** Another table begins inside a folder, and an overwrite of the folder removes its files too. */
  public static InvalidConfigException tableInside(String folder, Object inner) {
    return new InvalidConfigException(
        "The table "
            + inner
            + " is inside the partition "
            + folder
            + ", and its files would be deleted too. Nothing was dropped. Move that table, or name"
            + " partitions inside the folder that do not contain it.");
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
