package io.repave;

import java.util.List;

/**
 * The files of one partition.
 *
 * @param partition the folder relative to the table, {@code ""} for the table itself, or an {@code
 *     s3://} URI for a partition outside the table
 */
public record PartitionFiles(String partition, List<DataFile> files) {
  public PartitionFiles {
    files = List.copyOf(files);
  }
}
