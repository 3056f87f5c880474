package io.repave.core.ledger;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The names of data files: {@code part-<split>-<commit>-<attempt><suffix>}. No two attempts of a
 * task and no two commits use the same name, so a late request can only affect its own file.
 */
public final class PartFileName {
  /** Names of stock Spark are similar: they contain a UUID too, but no number after it. */
  private static final Pattern COMMIT =
      Pattern.compile(
          ".*?part-\\d{5,}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-\\d+(?:[._-].*)?");

  private PartFileName() {}

  /**
   * Builds a name. {@code attempt} is unique in the application that runs the commit; {@code
   * suffix} is what the engine appends ({@code .c000.snappy.parquet}, {@code _00001.c000…} for a
   * bucket).
   */
  public static String of(String prefix, int split, String commit, long attempt, String suffix) {
    return String.format(
        Locale.ROOT, "%spart-%05d-%s-%d%s", prefix, split, commit, attempt, suffix);
  }

  /** True for a name that {@link #of} built for this commit. */
  public static boolean belongsTo(String name, String commit) {
    int part = name.indexOf("part-");
    return part >= 0 && name.indexOf("-" + commit + "-", part) > 0;
  }

  /** The commit id in a file's name. Commit ids are UUIDs; empty for names without one. */
  public static Optional<String> commitOf(String name) {
    var parts = COMMIT.matcher(name);
    return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
  }
}
