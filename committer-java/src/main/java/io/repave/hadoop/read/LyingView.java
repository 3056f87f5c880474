package io.repave.hadoop.read;

import io.repave.core.store.Location;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.Predicate;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/** The files as they lie in the store, without those that do not count. */
final class LyingView implements View {
  private final FileSystem store;
  private final String scheme;
  private final Predicate<Location> hidden;

  /** Shows paths with {@code scheme} for what lies in {@code store}. */
  LyingView(FileSystem store, String scheme, Predicate<Location> hidden) {
    this.store = store;
    this.scheme = scheme;
    this.hidden = hidden;
  }

  @Override
  public FileStatus status(Location at) throws IOException {
    FileStatus status = store.getFileStatus(real(at));
    if (hides(status)) {
      throw new FileNotFoundException(at + " is not part of the table's published version.");
    }
    return shown(status);
  }

  @Override
  public FileStatus[] list(Location at) throws IOException {
    return Arrays.stream(store.listStatus(real(at)))
        .filter(status -> !hides(status))
        .map(this::shown)
        .toArray(FileStatus[]::new);
  }

  @Override
  public RemoteIterator<LocatedFileStatus> files(Location at) throws IOException {
    return RemoteIterators.mappingRemoteIterator(
        RemoteIterators.filteringRemoteIterator(
            store.listFiles(real(at), true), status -> !hides(status)),
        status -> new LocatedFileStatus(shown(status), status.getBlockLocations()));
  }

  private Path real(Location at) {
    return StorePath.path(store.getUri().getScheme(), at);
  }

  private boolean hides(FileStatus status) {
    return status.isFile() && hidden.test(StorePath.location(status.getPath()));
  }

  private FileStatus shown(FileStatus status) {
    Path path = StorePath.path(scheme, StorePath.location(status.getPath()));
    return status.isDirectory()
        ? new FileStatus(0, true, 0, 0, status.getModificationTime(), path)
        : new FileStatus(
            status.getLen(), false, 1, status.getBlockSize(), status.getModificationTime(), path);
  }
}
