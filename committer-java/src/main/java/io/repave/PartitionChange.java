package io.repave;

import java.util.List;

/**
 * What a commit changed in one partition.
 *
 * @param partition the folder, as in {@link PartitionFiles}
 * @param in files that the commit wrote
 * @param out files that the commit replaced or removed
 * @param adopted files of other writers that the commit added to the records
 */
public record PartitionChange(
    String partition, List<DataFile> in, List<DataFile> out, List<DataFile> adopted) {
  public PartitionChange {
    in = List.copyOf(in);
    out = List.copyOf(out);
    adopted = List.copyOf(adopted);
  }
}
