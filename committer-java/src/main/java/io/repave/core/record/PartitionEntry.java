package io.repave.core.record;

import java.util.List;

/** What a commit did to one partition; the same partition may recur in several shards. */
public record PartitionEntry(
    String partition, List<FileEntry> in, List<FileEntry> out, List<FileEntry> adopted) {
  public PartitionEntry {
    in = List.copyOf(in);
    out = List.copyOf(out);
    adopted = List.copyOf(adopted);
  }

  public int files() {
    return in.size() + out.size() + adopted.size();
  }
}
