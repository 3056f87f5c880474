package io.repave.hadoop.read;

import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.Schema;
import io.repave.core.record.FileEntry;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * One version of a snapshot table. The paths of listed folders contain the version. So a later
 * look-up of a child reads the same version, on any machine, and from memory if it is there. Those
 * of {@link ListedPaths#OF_TABLE} do not.
 *
 * <p>A file in the folder that was asked for has a path of the same form as the question, because
 * Spark looks up the files of a folder by the path of that folder.
 */
final class SnapshotTableView implements TableView {
  private static final String[] ANY_HOST = {"localhost"};
  private static final String[] ANY_ADDRESS = {"localhost:9866"};

  private final StorePath asked;
  private final TableVersion version;
  private final VersionCache cache;
  private final VersionCache.Loader loader;
  private final ListedPaths listed;
  private final String scheme;
  private final long blockBytes;

  /** The {@code version} of a table, asked for by the path {@code asked}. */
  SnapshotTableView(
      StorePath asked,
      TableVersion version,
      VersionCache cache,
      VersionCache.Loader loader,
      ListedPaths listed,
      String scheme,
      long blockBytes) {
    this.asked = asked;
    this.version = version;
    this.cache = cache;
    this.loader = loader;
    this.listed = listed;
    this.scheme = scheme;
    this.blockBytes = blockBytes;
  }

  @Override
  public FileStatus status(Location at) throws IOException {
    String path = relative(at);
    if (path.isEmpty() && (!asked.isPinned() || asked.isExact())) {
      return folder(path);
    }
    // A version that a user names may be absent. Loading its files shows it.
    SnapshotFiles files = around(path);
    Optional<FileEntry> file = files.file(path);
    if (file.isPresent()) {
      return file(inAskedForm(path), file.get().bytes());
    }
    requireFolder(files, path, at);
    return folder(path);
  }

  @Override
  public FileStatus[] list(Location at) throws IOException {
    String path = relative(at);
    SnapshotFiles files = around(path);
    Optional<FileEntry> itself = files.file(path);
    if (itself.isPresent()) {
      return new FileStatus[] {file(inAskedForm(path), itself.get().bytes())};
    }
    requireFolder(files, path, at);
    List<FileStatus> children = new ArrayList<>();
    for (String name : files.subfolders(path)) {
      children.add(folder(join(path, name)));
    }
    for (FileEntry file : files.files(path)) {
      children.add(file(inAskedForm(join(path, file.name())), file.bytes()));
    }
    return children.toArray(FileStatus[]::new);
  }

  @Override
  public RemoteIterator<LocatedFileStatus> files(Location at) throws IOException {
    String path = relative(at);
    SnapshotFiles files = around(path);
    Optional<FileEntry> itself = files.file(path);
    if (itself.isPresent()) {
      LocatedFileStatus only = located(inAskedForm(path), itself.get().bytes());
      return RemoteIterators.remoteIteratorFromSingleton(only);
    }
    requireFolder(files, path, at);
    Map<String, List<FileEntry>> below = files.below(path);
    boolean found = areFoundInAskedForm(below);
    Iterator<LocatedFileStatus> all =
        below.entrySet().stream()
            .flatMap(each -> statuses(each, found || each.getKey().equals(path)))
            .map(SnapshotTableView::located)
            .iterator();
    return RemoteIterators.remoteIteratorFromIterator(all);
  }

  /** All files of the version, by the folder that they are in. */
  List<VersionFiles.Folder> byFolder() throws IOException {
    return byFolder(around("").below(""));
  }

  /**
   * The files of these folders, by folder. Folders that contain no files themselves are left out.
   */
  List<VersionFiles.Folder> byFolder(Collection<String> names) throws IOException {
    if (names.isEmpty()) {
      return List.of();
    }
    SnapshotFiles files =
        names.size() == 1 ? around(names.iterator().next()) : cache.allOr(version, names, loader);
    Map<String, List<FileEntry>> found = new HashMap<>();
    names.forEach(name -> found.put(name, files.files(name)));
    found.values().removeIf(List::isEmpty);
    return byFolder(found);
  }

  private List<VersionFiles.Folder> byFolder(Map<String, List<FileEntry>> all) {
    boolean inForm = areFoundInAskedForm(all);
    return all.entrySet().stream().map(each -> folder(each, inForm)).toList();
  }

  private VersionFiles.Folder folder(
      Map.Entry<String, List<FileEntry>> folder, boolean foundInAskedForm) {
    boolean inForm = foundInAskedForm || folder.getKey().isEmpty();
    FileStatus[] files = statuses(folder, inForm).toArray(FileStatus[]::new);
    return new VersionFiles.Folder(folder.getKey(), inForm(folder.getKey(), inForm), files);
  }

  /** The schema of the file whose path is the least, if the records know it. */
  Optional<Schema> schema() throws IOException {
    return around("").schema();
  }

  private Stream<FileStatus> statuses(
      Map.Entry<String, List<FileEntry>> folder, boolean foundInAskedForm) {
    return folder.getValue().stream()
        .map(
            file -> {
              String path = join(folder.getKey(), file.name());
              return file(inForm(path, foundInAskedForm), file.bytes());
            });
  }

  /**
   * The path of a file, or of its folder, in a list of all files. It is never shorter than the path
   * that was asked for, because Spark cuts as many characters off it.
   */
  private Path inForm(String path, boolean foundInAskedForm) {
    if (foundInAskedForm) {
      return inAskedForm(path);
    }
    int charactersMin = asked.moment().map(moment -> moment.text().length()).orElse(0);
    return StorePath.pinned(scheme, version.withPinOf(charactersMin), path);
  }

  /** The files around a path: at least all files at it, below it, and in the folder around it. */
  private SnapshotFiles around(String path) throws IOException {
    if (path.isEmpty()) {
      return cache.all(version, loader);
    }
    String partition = leadingPartition(path);
    return partition.isEmpty()
        ? cache.allOr(version, firstSegment(path), loader)
        : cache.in(version, partition, loader);
  }

  /** True if the files around a path are in memory. */
  boolean isInMemory(Location at) {
    return cache.find(version, leadingPartition(relative(at))).isPresent();
  }

  /** The leading {@code key=value} folders of a path, which most partitions consist of. */
  private static String leadingPartition(String path) {
    int end = 0;
    while (end < path.length()) {
      int slash = path.indexOf('/', end + 1);
      int next = slash < 0 ? path.length() : slash;
      if (path.substring(end, next).indexOf('=') < 0) {
        break;
      }
      end = next;
    }
    return path.substring(0, end);
  }

  private static String firstSegment(String path) {
    int slash = path.indexOf('/');
    return slash < 0 ? path : path.substring(0, slash);
  }

  /** A file with a place, as Hadoop's own listing of all files gives each of them. */
  static LocatedFileStatus located(FileStatus file) {
    BlockLocation anywhere = new BlockLocation(ANY_ADDRESS, ANY_HOST, 0, file.getLen());
    return new LocatedFileStatus(file, new BlockLocation[] {anywhere});
  }

  private LocatedFileStatus located(Path path, long bytes) {
    return located(file(path, bytes));
  }

  private FileStatus file(Path path, long bytes) {
    return new FileStatus(bytes, false, 1, blockBytes, 0, path);
  }

  private FileStatus folder(String path) {
    boolean stays = listed == ListedPaths.OF_TABLE;
    return new FileStatus(0, true, 0, 0, 0, stays ? inAskedForm(path) : ofVersion(path));
  }

  private Path inAskedForm(String path) {
    if (!asked.isPinned()) {
      return StorePath.path(scheme, version.table().resolve(path));
    }
    if (asked.moment().isPresent()) {
      Location root = asked.table().resolve("@" + asked.moment().get().text());
      return StorePath.path(scheme, root.resolve(path));
    }
    TableVersion form = new TableVersion(asked.table(), asked.fingerprint(), asked.version());
    return StorePath.pinned(scheme, form, path);
  }

  /**
   * Whether all of these files are found by paths in the form of the asked one for as long as they
   * exist. Spark refuses partitions whose paths have two forms.
   */
  private boolean areFoundInAskedForm(Map<String, List<FileEntry>> below) {
    // A moment would be looked up again for each file.
    if (asked.moment().isPresent()) {
      return false;
    }
    // The names of Repave's own files are unique. Others are found by their version only.
    return asked.isPinned()
        || listed == ListedPaths.OF_TABLE
        || below.values().stream()
            .flatMap(List::stream)
            .map(FileEntry::name)
            // A task gives its files in all partitions the same name.
            .distinct()
            .allMatch(name -> PartFileName.commitOf(name).isPresent());
  }

  /** The path in exactly this version. */
  Path ofVersion(String path) {
    return StorePath.pinned(scheme, version, path);
  }

  private String relative(Location at) {
    return at.equals(version.table()) ? "" : version.table().relative(at);
  }

  private void requireFolder(SnapshotFiles files, String path, Location at)
      throws NotInVersionException {
    if (!files.isFolder(path)) {
      throw ReadErrors.notInVersion(at, version.table(), version.version());
    }
  }

  private static String join(String folder, String name) {
    return folder.isEmpty() ? name : folder + "/" + name;
  }
}
