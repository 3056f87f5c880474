package io.repave.hadoop.read;

import io.repave.core.record.FileEntry;
import io.repave.core.store.Location;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
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
 * One version of a snapshot table. Listed paths contain the version, so that a later look-up of a
 * child, on any machine, reads the same version.
 */
final class SnapshotTableView implements TableView {
  private static final String[] ANY_HOST = {"localhost"};
  private static final String[] ANY_ADDRESS = {"localhost:9866"};

  private final SnapshotFiles files;
  private final Location table;
  private final long version;
  private final String scheme;
  private final long blockBytes;

  SnapshotTableView(
      SnapshotFiles files, Location table, long version, String scheme, long blockBytes) {
    this.files = files;
    this.table = table;
    this.version = version;
    this.scheme = scheme;
    this.blockBytes = blockBytes;
  }

  @Override
  public FileStatus status(Location at) throws IOException {
    String path = relative(at);
    Optional<FileEntry> file = files.file(path);
    if (file.isPresent()) {
      return file(path, file.get().bytes());
    }
    requireFolder(path, at);
    return folder(path);
  }

  @Override
  public FileStatus[] list(Location at) throws IOException {
    String path = relative(at);
    Optional<FileEntry> itself = files.file(path);
    if (itself.isPresent()) {
      return new FileStatus[] {file(path, itself.get().bytes())};
    }
    requireFolder(path, at);
    List<FileStatus> children = new ArrayList<>();
    for (String name : files.subfolders(path)) {
      children.add(folder(join(path, name)));
    }
    for (FileEntry file : files.files(path)) {
      children.add(file(join(path, file.name()), file.bytes()));
    }
    return children.toArray(FileStatus[]::new);
  }

  @Override
  public RemoteIterator<LocatedFileStatus> files(Location at) throws IOException {
    String path = relative(at);
    Optional<FileEntry> itself = files.file(path);
    if (itself.isPresent()) {
      return RemoteIterators.remoteIteratorFromSingleton(located(path, itself.get()));
    }
    requireFolder(path, at);
    Iterator<LocatedFileStatus> all =
        files.below(path).entrySet().stream().flatMap(this::located).iterator();
    return RemoteIterators.remoteIteratorFromIterator(all);
  }

  private Stream<LocatedFileStatus> located(Map.Entry<String, List<FileEntry>> folder) {
    return folder.getValue().stream()
        .map(file -> located(join(folder.getKey(), file.name()), file));
  }

  private LocatedFileStatus located(String path, FileEntry file) {
    BlockLocation anywhere = new BlockLocation(ANY_ADDRESS, ANY_HOST, 0, file.bytes());
    return new LocatedFileStatus(file(path, file.bytes()), new BlockLocation[] {anywhere});
  }

  private FileStatus file(String path, long bytes) {
    return new FileStatus(bytes, false, 1, blockBytes, 0, pinned(path));
  }

  private FileStatus folder(String path) {
    return new FileStatus(0, true, 0, 0, 0, pinned(path));
  }

  private Path pinned(String path) {
    return StorePath.pinned(scheme, table, version, path);
  }

  private String relative(Location at) {
    return at.equals(table) ? "" : table.relative(at);
  }

  private void requireFolder(String path, Location at) throws FileNotFoundException {
    if (!files.isFolder(path)) {
      throw ReadErrors.notInVersion(at, table, version);
    }
  }

  private static String join(String folder, String name) {
    return folder.isEmpty() ? name : folder + "/" + name;
  }
}
