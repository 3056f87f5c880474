package io.repave;

import java.util.List;
import java.util.Optional;

/**
 * What an adoption changed, or would change, in the records of a table.
 *
 * @param isDryRun true when nothing was to be changed
 * @param table the table's folder, {@code s3://bucket/folder}; the path that the table was opened
 *     with may name a partition
 * @param version the new version; of a dry run, the table's version now, 0 without records
 * @param commit the name of the commit's folder under {@code _repave/commits/}; empty for a dry run
 * @param added the files that were added to the records, by their folders
 * @param gone files that no longer exist, and were removed from the records
 */
public record AdoptionResult(
    boolean isDryRun,
    String table,
    long version,
    Optional<String> commit,
    List<PartitionSize> added,
    long gone) {
  public AdoptionResult {
    added = List.copyOf(added);
  }

  /** The number of files that were added to the records. */
  public long files() {
    return added.stream().mapToLong(PartitionSize::files).sum();
  }

  /** The size of these files. */
  public long bytes() {
    return added.stream().mapToLong(PartitionSize::bytes).sum();
  }
}
