package io.repave;

import java.util.List;
import java.util.Optional;

/**
 * What a drop of partitions removed, or would remove.
 *
 * @param isDryRun true when nothing was to be removed
 * @param version the table's version afterwards
 * @param commit the name of the commit's folder under {@code _repave/commits/}; empty when there
 *     was nothing to remove
 * @param partitions the data files in each folder and below it. A named folder without files is
 *     among them
 */
public record DropResult(
    boolean isDryRun, long version, Optional<String> commit, List<PartitionSize> partitions) {
  public DropResult {
    partitions = List.copyOf(partitions);
  }
}
