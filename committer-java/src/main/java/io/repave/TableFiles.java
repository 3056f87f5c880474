package io.repave;

import java.util.List;

/** The files of one version of a table, by partition. */
public record TableFiles(long version, List<PartitionFiles> partitions) {
  public TableFiles {
    partitions = List.copyOf(partitions);
  }
}
