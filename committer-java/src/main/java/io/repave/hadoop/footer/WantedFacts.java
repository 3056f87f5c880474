package io.repave.hadoop.footer;

/**
 * What a job wants to know of its files.
 *
 * @param order the order that their rows must have
 * @param exactBytes texts of at most this many bytes are whole in page indexes; longer ones may be
 *     cut
 */
public record WantedFacts(StatsColumns stats, FileOrder order, int exactBytes) {
  public static final WantedFacts NONE = of(StatsColumns.NONE, FileOrder.NONE);

  /** The length at which Parquet's writer cuts the texts of its indexes, unless it is set. */
  private static final int TRUNCATE_BYTES = 64;

  /** The last character of a cut text may have this many bytes less than none. */
  private static final int CHARACTER_BYTES_MAX = 4;

  /** For a writer with Parquet's own settings. */
  public static WantedFacts of(StatsColumns stats, FileOrder order) {
    return of(stats, order, TRUNCATE_BYTES);
  }

  /** For a writer that cuts texts at this many bytes, at the end of a character. */
  public static WantedFacts of(StatsColumns stats, FileOrder order, int truncateBytes) {
    return new WantedFacts(stats, order, truncateBytes - CHARACTER_BYTES_MAX);
  }
}
