package io.repave.hadoop.read;

import io.repave.core.record.FileEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The files of one version, by folder relative to the table. Partitions elsewhere are not here. */
public final class SnapshotFiles {
  private final NavigableMap<String, List<FileEntry>> folders = new TreeMap<>();

  /** Adds a file; a name with slashes in it lies in a folder below the partition. */
  public void add(String partition, FileEntry file) {
    String path = partition.isEmpty() ? file.name() : partition + "/" + file.name();
    int slash = path.lastIndexOf('/');
    folders
        .computeIfAbsent(slash < 0 ? "" : path.substring(0, slash), folder -> new ArrayList<>())
        .add(new FileEntry(path.substring(slash + 1), file.bytes()));
  }

  /** The files right in this folder. */
  public List<FileEntry> files(String folder) {
    return folders.getOrDefault(folder, List.of());
  }

  /** The names of the folders right in this folder. */
  public Set<String> subfolders(String folder) {
    String prefix = folder.isEmpty() ? "" : folder + "/";
    Set<String> names = new TreeSet<>();
    String next = folders.higherKey(prefix);
    while (next != null && next.startsWith(prefix)) {
      int slash = next.indexOf('/', prefix.length());
      String name = next.substring(prefix.length(), slash < 0 ? next.length() : slash);
      names.add(name);
      // All that lies deeper starts with `name/`, and '0' is the character behind '/'.
      next = slash < 0 ? folders.higherKey(next) : folders.ceilingKey(prefix + name + "0");
    }
    return names;
  }

  /** Whether there is anything in this folder, however deep; the table itself always counts. */
  public boolean isFolder(String folder) {
    if (folder.isEmpty() || folders.containsKey(folder)) {
      return true;
    }
    String next = folders.ceilingKey(folder + "/");
    return next != null && next.startsWith(folder + "/");
  }

  /** The file at this path. */
  public Optional<FileEntry> file(String path) {
    int slash = path.lastIndexOf('/');
    String name = path.substring(slash + 1);
    return files(slash < 0 ? "" : path.substring(0, slash)).stream()
        .filter(file -> file.name().equals(name))
        .findFirst();
  }

  /** Every folder that holds files, with them, at or below the given one. */
  public Map<String, List<FileEntry>> below(String folder) {
    if (folder.isEmpty()) {
      return folders;
    }
    Map<String, List<FileEntry>> below = new TreeMap<>(folders.subMap(folder + "/", folder + "0"));
    if (folders.containsKey(folder)) {
      below.put(folder, folders.get(folder));
    }
    return below;
  }
}
