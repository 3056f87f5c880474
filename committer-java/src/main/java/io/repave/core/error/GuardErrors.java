package io.repave.core.error;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/** Messages of {@code repave.only} and {@code repave.shrink}. */
public final class GuardErrors {
  private static final int PARTITIONS_SHOWN = 10;
  private static final String UNCHANGED = " Nothing was published, and the table is as it was.";

  private GuardErrors() {}

  /** Describes a touched partition; {@code rows} is empty when the job wrote nothing to it. */
  public static String touched(String partition, Optional<String> rows) {
    return name(partition)
        + rows.map(it -> " (" + it + " rows written)").orElse(" (replaced, nothing written)");
  }

  /** Describes a partition with too few rows. */
  public static String shrunk(String partition, long before, long after) {
    return name(partition) + " (" + before + " rows before, " + after + " after)";
  }

  public static CommitFailedException otherPartitions(
      String commit, Object table, List<String> others, List<String> only) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " would change partitions of "
            + table
            + " that repave.only does not name: "
            + shown(others)
            + ". It names "
            + shown(only)
            + "."
            + UNCHANGED
            + " Find out why the job has rows for these partitions, or why it replaces them. If that"
            + " is right, name them in repave.only, or switch the guard off for one write:"
            + " .option(\"repave.only\", \"\").");
  }

  public static CommitConflictException changedSinceRead(
      String commit, Object table, List<String> partitions) {
    return new CommitConflictException(
        "Commit "
            + commit
            + " would replace files of "
            + table
            + " that its own query has not read, in "
            + shown(partitions)
            + ". Another job changed these partitions after the query had listed them."
            + UNCHANGED
            + " Read the table again (before, run REFRESH TABLE for a name in a catalog, or MSCK REPAIR"
            + " TABLE if the catalog lacks a partition) and run the job again, or set"
            + " repave.conflict=last-writer if it may replace changes that it has not read.");
  }

  public static CommitFailedException shrunkPartitions(
      String commit, Object table, List<String> shrunk, BigDecimal shrink) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " would replace partitions of "
            + table
            + " by fewer rows than repave.shrink="
            + shrink.toPlainString()
            + " allows: "
            + shown(shrunk)
            + "."
            + UNCHANGED
            + " Find out why rows are missing. If that is right, switch the guard off for one write:"
            + " .option(\"repave.shrink\", \"0\").");
  }

  /** {@code role} says how the commit relates to the file. */
  public static CommitFailedException rowsUnknown(
      String commit, Object table, String file, String role, BigDecimal shrink) {
    return new CommitFailedException(
        "Commit "
            + commit
            + " of "
            + table
            + " cannot be checked with repave.shrink="
            + shrink.toPlainString()
            + ": it is not known how many rows "
            + file
            + " has, "
            + role
            + ". Repave reads the rows of Parquet files from their footers, unless these are encrypted,"
            + " and those of ORC files from its records."
            + UNCHANGED
            + " Compare the rows yourself, then switch the guard off for one write:"
            + " .option(\"repave.shrink\", \"0\").");
  }

  private static String shown(List<String> partitions) {
    String first =
        String.join(", ", partitions.subList(0, Math.min(PARTITIONS_SHOWN, partitions.size())));
    int more = partitions.size() - PARTITIONS_SHOWN;
    return more > 0 ? first + " and " + more + " more" : first;
  }

  private static String name(String partition) {
    return partition.isEmpty() ? "the table's own folder" : partition;
  }
}
