package io.repave.core.record;

import java.util.ArrayList;
import java.util.List;

/** What a commit did to one partition; the same partition may recur in several shards. */
public record PartitionEntry(
    String partition, List<FileEntry> in, List<FileEntry> out, List<FileEntry> adopted) {
  public PartitionEntry {
    in = List.copyOf(in);
    out = List.copyOf(out);
    adopted = List.copyOf(adopted);
  }

  /** The files that are in the table since: those that were written, and those that were found. */
  public List<FileEntry> added() {
    if (adopted.isEmpty()) {
      return in;
    }
    List<FileEntry> added = new ArrayList<>(adopted);
    added.addAll(in);
    return added;
  }
}
