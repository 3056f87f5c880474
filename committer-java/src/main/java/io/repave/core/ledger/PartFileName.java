package io.repave.core.ledger;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The names of data files: {@code part-<split>-<commit>-<attempt><suffix>}. No two attempts of a
 * task, and no two commits, ever share one: a late request can only hit its own file.
 */
public final class PartFileName {
  /** Other writers' names come close: stock Spark's have a UUID too, but no number behind it. */
  private static final Pattern COMMIT =
      Pattern.compile(
          ".*?part-\\d{5,}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-\\d+(?:[._-].*)?");

  private PartFileName() {}

  /**
   * {@code attempt} is unique in the application that runs the commit; {@code suffix} begins with
   * what the engine appends ({@code .c000.snappy.parquet}, {@code _00001.c000…} for a bucket).
   */
  public static String of(String prefix, int split, String commit, long attempt, String suffix) {
    return String.format(
        Locale.ROOT, "%spart-%05d-%s-%d%s", prefix, split, commit, attempt, suffix);
  }

  /** True for a name that {@link #of} made for this commit. */
  public static boolean belongsTo(String name, String commit) {
    int part = name.indexOf("part-");
    return part >= 0 && name.indexOf("-" + commit + "-", part) > 0;
  }

  /**
   * The id of the commit that a file of this name belongs to; empty for other names, and for those
   * of a commit that is not called by a UUID.
   */
  public static Optional<String> commitOf(String name) {
    var parts = COMMIT.matcher(name);
    return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
  }
}
