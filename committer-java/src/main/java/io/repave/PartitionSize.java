package io.repave;

import io.repave.core.commit.FolderSize;
import java.util.Collection;
import java.util.List;

/** Files of a folder; {@code partition} is empty for the table's own folder. */
public record PartitionSize(String partition, long files, long bytes) {
  static List<PartitionSize> of(Collection<FolderSize> folders) {
    return folders.stream()
        .map(it -> new PartitionSize(it.folder(), it.files(), it.bytes()))
        .toList();
  }
}
