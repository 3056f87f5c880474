package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** The live files of a table, or of some of its partitions, at one version. */
public final class Snapshot {
  private final SortedMap<String, List<FileEntry>> partitions;

  /** Reads all live files at a version into memory. */
  public static Snapshot read(TableContext context, Head head, long version)
      throws IOException, InterruptedException {
    SortedMap<String, List<FileEntry>> partitions = new TreeMap<>(Utf8Order.KEYS);
    try (LiveFiles.Open live = new LiveFiles(context).all(head, version)) {
      live.each(
          (partition, file) ->
              partitions.computeIfAbsent(partition, p -> new ArrayList<>()).add(file));
    }
    return new Snapshot(partitions);
  }

  private Snapshot(SortedMap<String, List<FileEntry>> partitions) {
    this.partitions = partitions;
  }

  /** The partitions that have files. */
  public SortedSet<String> partitions() {
    return Collections.unmodifiableSortedSet((SortedSet<String>) partitions.keySet());
  }

  public List<FileEntry> files(String partition) {
    return Collections.unmodifiableList(partitions.getOrDefault(partition, List.of()));
  }
}
