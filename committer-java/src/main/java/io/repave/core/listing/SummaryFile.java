package io.repave.core.listing;

import java.util.List;

/**
 * The two Parquet summary files that other writers (Dask, older Spark and Hive) write into a
 * folder. They contain the schema and the row groups of the data files around them, and readers
 * trust them. After those files are replaced, Spark would read the new ones with the old schema,
 * which gives nulls. So a commit that replaces data files also deletes their summary files.
 */
public final class SummaryFile {
  private static final List<String> NAMES = List.of("_common_metadata", "_metadata");

  /** They sort before the names, because a listing begins after the requested key. */
  private static final List<String> PREFIXES = List.of("_common_", "_meta");

  private SummaryFile() {}

  /** True for the name of a summary file. */
  public static boolean hasName(String name) {
    return NAMES.contains(name);
  }

  /** True for a key, relative to the table, of a summary file in a folder that readers see. */
  static boolean isAt(String relative) {
    int slash = relative.lastIndexOf('/');
    boolean shown = slash < 0 || !TouchedListing.isAtHiddenPlace(relative.substring(0, slash));
    return shown && hasName(relative.substring(slash + 1));
  }

  /** The prefixes at which a scan of a folder finds its summary files. */
  static List<String> prefixes(String folder) {
    return PREFIXES.stream().map(prefix -> folder + prefix).toList();
  }
}
