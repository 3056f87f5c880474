package io.repave;

import java.util.List;
import java.util.Optional;

/**
 * Which partitions {@link RepaveTable#dropPartitions} removes: {@code
 * DropOptions.of("dt=2025-01-01").dryRun()}.
 *
 * @param partitions names of folders such as {@code dt=2025-01-01/country=de}; a name means all
 *     folders inside too
 * @param before partitions whose value of a column is before this one
 * @param isDryRun whether it only reports what it would remove
 */
public record DropOptions(List<String> partitions, Optional<Before> before, boolean isDryRun) {
  public DropOptions {
    partitions = List.copyOf(partitions);
  }

  /** A value of a partition column, before which partitions are meant. */
  public record Before(String column, String value) {}

  /** The partitions with these names. */
  public static DropOptions of(String... partitions) {
    return new DropOptions(List.of(partitions), Optional.empty(), false);
  }

  /**
   * The partitions whose value of a column is before this one. Whole numbers compare as numbers,
   * and all other values as text. A partition of nulls is not before any value.
   */
  public static DropOptions before(String column, String value) {
    return new DropOptions(List.of(), Optional.of(new Before(column, value)), false);
  }

  /** The same, but nothing is removed. */
  public DropOptions dryRun() {
    return new DropOptions(partitions, before, true);
  }
}
