package io.repave;

import io.repave.core.Table;
import io.repave.core.record.CommitId;
import io.repave.core.record.PartitionEntry;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The partitions that a commit put files into: those that a catalog has to know. */
final class AddedPartitions {
  private AddedPartitions() {}

  /** Their folders; none if the commit has no manifest, or has it no more. */
  static List<String> of(Table table, CommitId commit) throws IOException, InterruptedException {
    Optional<CommitManifest> manifest = table.manifest(commit);
    List<String> folders = new ArrayList<>();
    if (manifest.isPresent()) {
      table.entries(
          manifest.get(),
          entries -> {
            for (PartitionEntry entry : entries) {
              if (!entry.in().isEmpty()) {
                folders.add(entry.partition());
              }
            }
          });
    }
    return folders;
  }
}
