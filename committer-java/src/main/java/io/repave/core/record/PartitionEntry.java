package io.repave.core.record;

import java.util.ArrayList;
import java.util.List;

/** What a commit did to one partition; several shards may contain the same partition. */
public record PartitionEntry(
    String partition, List<FileEntry> in, List<FileEntry> out, List<FileEntry> adopted) {
  public PartitionEntry {
    in = List.copyOf(in);
    out = List.copyOf(out);
    adopted = List.copyOf(adopted);
  }

  /** The files that the commit added to the partition: adopted files, then written files. */
  public List<FileEntry> added() {
    if (adopted.isEmpty()) {
      return in;
    }
    List<FileEntry> added = new ArrayList<>(adopted);
    added.addAll(in);
    return added;
  }
}
