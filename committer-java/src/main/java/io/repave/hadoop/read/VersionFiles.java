package io.repave.hadoop.read;

import io.repave.core.ledger.Schema;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * All files of one version of a snapshot table, for an engine that plans a query from them instead
 * of listing the table's path. They never change.
 */
public final class VersionFiles {
  /**
   * A folder that contains files, and these files.
   *
   * @param name the folder relative to the table, "" for the table's own
   */
  public record Folder(String name, Path path, FileStatus[] files) {}

  private final Path version;
  private final SnapshotTableView view;
  // A query may read the same folders at many places.
  private final Map<String, Folder> known = new HashMap<>();

  VersionFiles(Path version, SnapshotTableView view) {
    this.version = version;
    this.view = view;
  }

  /** The path of exactly this version of exactly this table. */
  public Path version() {
    return version;
  }

  /** The path of a folder in exactly this version. */
  public Path folder(String name) {
    return view.ofVersion(name);
  }

  /**
   * The folders that contain files. The paths are those that a listing of the table's path shows,
   * so a reader finds each file by its path.
   */
  public List<Folder> byFolder() throws IOException {
    return view.byFolder();
  }

  /**
   * Those of these folders that contain files. For a single one of a version that is not in memory,
   * no other files are loaded.
   */
  public synchronized List<Folder> byFolder(Collection<String> names) throws IOException {
    List<String> others = names.stream().filter(name -> !known.containsKey(name)).toList();
    view.byFolder(others).forEach(folder -> known.put(folder.name(), folder));
    return names.stream().map(known::get).filter(Objects::nonNull).toList();
  }

  /**
   * The schema that the records have of the file whose path is the least: the one in its footer.
   * Spark infers the schema of a table from that file.
   */
  public Optional<Schema> schema() throws IOException {
    return view.schema();
  }
}
