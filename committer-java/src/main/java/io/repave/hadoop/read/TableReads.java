package io.repave.hadoop.read;

import io.repave.core.ledger.PartFileName;
import io.repave.core.store.Location;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * What readers of {@code repave://} see, over one file system of the store. Most questions go to
 * the table's records. A file that a reader has listed, in this JVM or another, is looked up in the
 * store instead: that needs no look at the table.
 *
 * <p>All paths are absolute. Each method parses its path once.
 */
public final class TableReads {
  private final TableViewResolver resolver;
  private final ShownFiles files;

  public TableReads(TableViewResolver resolver, FileSystem store) {
    this.resolver = resolver;
    files = new ShownFiles(store);
  }

  /** The files, to open them. */
  public ShownFiles files() {
    return files;
  }

  /**
   * The status of what is at a path. A query that runs asks for the status of each file that it has
   * listed. So a file that a commit has replaced since is looked up in the store, where it stays
   * until vacuum. A listing of the table does not show it.
   */
  public FileStatus status(Path asked) throws IOException {
    StorePath place = StorePath.of(asked);
    try {
      return status(asked, place);
    } catch (NotInVersionException replaced) {
      return stored(asked, place, replaced);
    }
  }

  /** The file in the store, if it may have been in an earlier version. */
  private FileStatus stored(Path asked, StorePath place, NotInVersionException replaced)
      throws IOException {
    if (place.isPinned() || !mayBeAdopted(place.at().name())) {
      throw replaced;
    }
    FileStatus file = stored(place).orElseThrow(() -> replaced);
    file.setPath(asked);
    return file;
  }

  /**
   * A stream lists each file of a batch by itself, perhaps many batches after it has found the
   * file. A commit may have replaced it since.
   */
  private FileStatus storedForStream(Path asked, StorePath place, NotInVersionException replaced)
      throws IOException {
    if (!resolver.isForStream()) {
      throw replaced;
    }
    return stored(asked, place, replaced);
  }

  /** The names of other files are known without a look, and folders have no such name. */
  private static boolean mayBeAdopted(String name) {
    return !name.startsWith("_") && !name.startsWith(".") && !name.contains("=");
  }

  private Optional<FileStatus> stored(StorePath place) throws IOException {
    try {
      return Optional.of(files.status(place)).filter(FileStatus::isFile);
    } catch (FileNotFoundException absent) {
      return Optional.empty();
    }
  }

  /** The direct children of a folder, or the file itself, as Spark lists files of JSON and CSV. */
  public FileStatus[] list(Path asked) throws IOException {
    StorePath place = StorePath.of(asked);
    Optional<FileStatus> file = listedFile(asked, place);
    if (file.isPresent()) {
      return new FileStatus[] {file.get()};
    }
    try {
      return resolver.of(place).list(place.at());
    } catch (NotInVersionException replaced) {
      return new FileStatus[] {storedForStream(asked, place, replaced)};
    }
  }

  /** All files below a folder, at any depth, or the file itself. */
  public RemoteIterator<LocatedFileStatus> below(Path asked) throws IOException {
    StorePath place = StorePath.of(asked);
    Optional<FileStatus> file = listedFile(asked, place);
    if (file.isPresent()) {
      return only(file.get());
    }
    try {
      return resolver.of(place).files(place.at());
    } catch (NotInVersionException replaced) {
      return only(storedForStream(asked, place, replaced));
    }
  }

  private static RemoteIterator<LocatedFileStatus> only(FileStatus file) {
    return RemoteIterators.remoteIteratorFromSingleton(SnapshotTableView.located(file));
  }

  /** All files of the snapshot table in exactly this folder; empty for every other path. */
  public Optional<VersionFiles> version(Path folder) throws IOException {
    return resolver.version(StorePath.of(folder));
  }

  /** Pins a pattern to one version, so that all its matches come from that version. */
  public Path pinned(Path pattern) throws IOException {
    StorePath asked = StorePath.of(pattern);
    if (asked.moment().isPresent() && StorePath.firstSpecial(asked.table().key()) < 0) {
      return resolver.pinMoment(asked);
    }
    String key = asked.at().key();
    int special = StorePath.firstSpecial(key);
    if (special < 0 || asked.isPinned()) {
      return pattern;
    }
    int rest = key.lastIndexOf('/', special) + 1;
    String folder = key.substring(0, Math.max(0, rest - 1));
    return resolver.pin(new Location(asked.at().bucket(), folder), key.substring(rest));
  }

  private FileStatus status(Path asked, StorePath place) throws IOException {
    FileStatus status = isListedFile(asked, place) ? files.status(place) : resolver.status(place);
    status.setPath(asked);
    return status;
  }

  /**
   * True for a file that a reader has listed. It is found in the store after another version was
   * published too, because file names are never reused. A path with a version that a user wrote is
   * looked up in that version.
   */
  private boolean isListedFile(Path asked, StorePath place) throws IOException {
    return PartFileName.commitOf(asked.getName()).isPresent()
        && (!place.isPinned() || place.isExact() && !resolver.isInMemory(place));
  }

  /** Empty for a folder, which may have the name of a file: a partition column may hold such. */
  private Optional<FileStatus> listedFile(Path asked, StorePath place) throws IOException {
    try {
      return isListedFile(asked, place)
          ? Optional.of(status(asked, place)).filter(FileStatus::isFile)
          : Optional.empty();
    } catch (FileNotFoundException gone) {
      throw resolver.isForStream() ? gone : ReadErrors.goneSinceListed(asked, gone);
    }
  }
}
