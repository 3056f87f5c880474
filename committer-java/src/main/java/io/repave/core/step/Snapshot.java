package io.repave.core.step;

import io.repave.core.record.FileEntry;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** The live files of a table, or of some of its partitions, at one version. */
public final class Snapshot {
  public static final Snapshot EMPTY = new Snapshot(0, new TreeMap<>(Utf8Order.KEYS));

  private final long version;
  private final SortedMap<String, List<FileEntry>> partitions;

  Snapshot(long version, SortedMap<String, List<FileEntry>> partitions) {
    this.version = version;
    this.partitions = partitions;
  }

  public long version() {
    return version;
  }

  /** The partitions that have files. */
  public SortedSet<String> partitions() {
    return Collections.unmodifiableSortedSet((SortedSet<String>) partitions.keySet());
  }

  public List<FileEntry> files(String partition) {
    return Collections.unmodifiableList(partitions.getOrDefault(partition, List.of()));
  }

  public long files() {
    return partitions.values().stream().mapToLong(List::size).sum();
  }

  public long bytes() {
    return partitions.values().stream().flatMap(List::stream).mapToLong(FileEntry::bytes).sum();
  }

  /** The files of this snapshot that {@code other} has not. */
  Snapshot minus(Snapshot other) {
    SortedMap<String, List<FileEntry>> rest = new TreeMap<>(Utf8Order.KEYS);
    partitions.forEach(
        (partition, files) -> {
          Set<FileEntry> others = new HashSet<>(other.files(partition));
          List<FileEntry> kept = files.stream().filter(file -> !others.contains(file)).toList();
          if (!kept.isEmpty()) {
            rest.put(partition, kept);
          }
        });
    return new Snapshot(version, rest);
  }

  void each(FileSink sink) throws IOException, InterruptedException {
    for (var partition : partitions.entrySet()) {
      for (FileEntry file : partition.getValue()) {
        sink.file(partition.getKey(), file);
      }
    }
  }
}
