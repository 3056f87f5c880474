package io.repave.hadoop.read;

import io.repave.core.ledger.Schema;
import io.repave.core.record.FileEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The files of one version by folder, relative to the table. Without external partitions. It may
 * have only the files in one folder and below it.
 */
public final class SnapshotFiles {
  // Estimates for a 64-bit JVM: objects, references and the headers of names.
  private static final int FILE_BYTES = 120;
  private static final int FOLDER_BYTES = 220;

  private final NavigableMap<String, List<FileEntry>> folders = new TreeMap<>();
  private long bytes;
  private String first = "";
  private Optional<Schema> schema = Optional.empty();

  /**
   * Adds a file. A name with slashes means a folder below the partition, except that the folder of
   * a commit is not shown.
   */
  public void add(String partition, FileEntry file) {
    String name = ShownName.of(file.name());
    String path = partition.isEmpty() ? name : partition + "/" + name;
    if (first.isEmpty() || path.compareTo(first) < 0) {
      first = path;
      schema = file.facts().schema();
    }
    int slash = path.lastIndexOf('/');
    String folder = slash < 0 ? "" : path.substring(0, slash);
    List<FileEntry> files = folders.get(folder);
    if (files == null) {
      files = new ArrayList<>(1);
      folders.put(folder, files);
      bytes += FOLDER_BYTES + folder.length();
    }
    files.add(new FileEntry(path.substring(slash + 1), file.bytes()));
    bytes += FILE_BYTES + path.length() - slash;
  }

  /** The memory that these files take, estimated. */
  long bytes() {
    return bytes + schema.map(Schema::json).map(String::length).orElse(0);
  }

  /** The schema of the file whose path is the least, if the records know it. */
  public Optional<Schema> schema() {
    return schema;
  }

  /** The files directly in this folder. */
  public List<FileEntry> files(String folder) {
    return folders.getOrDefault(folder, List.of());
  }

  /** The names of the folders directly in this folder. */
  public Set<String> subfolders(String folder) {
    String prefix = folder.isEmpty() ? "" : folder + "/";
    Set<String> names = new TreeSet<>();
    String next = folders.higherKey(prefix);
    while (next != null && next.startsWith(prefix)) {
      int slash = next.indexOf('/', prefix.length());
      String name = next.substring(prefix.length(), slash < 0 ? next.length() : slash);
      names.add(name);
      // Deeper folders start with `name/`, and '0' is the character after '/'.
      next = slash < 0 ? folders.higherKey(next) : folders.ceilingKey(prefix + name + "0");
    }
    return names;
  }

  /** Whether this folder contains a file at any depth. True for the table itself. */
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

  /** Every folder with files at or below the given one, and its files. */
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
