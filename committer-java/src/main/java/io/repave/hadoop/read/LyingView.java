package io.repave.hadoop.read;

import io.repave.core.store.Location;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * The files as they lie in the store, without those that do not count.
 *
 * <p>What counts is looked up before and after a listing. When a commit was published in between,
 * the listing may hold any part of its change, new files hidden and old ones gone among it: it is
 * taken again. Otherwise what either look hides is hidden.
 */
final class LyingView implements View {
  private static final int TRIES = 10;

  private final FileSystem store;
  private final String scheme;
  private final TableState before;
  private final Look look;

  /** Looks up the table's state again. */
  interface Look {
    TableState now() throws IOException;
  }

  private interface Listing<S extends FileStatus> {
    RemoteIterator<S> run() throws IOException;
  }

  /** Shows paths with {@code scheme} for what lies in {@code store}. */
  LyingView(FileSystem store, String scheme, TableState before, Look look) {
    this.store = store;
    this.scheme = scheme;
    this.before = before;
    this.look = look;
  }

  @Override
  public FileStatus status(Location at) throws IOException {
    FileStatus status = store.getFileStatus(real(at));
    if (hides(before, status)) {
      throw new FileNotFoundException(at + " is not part of the table's published version.");
    }
    return shown(status);
  }

  @Override
  public FileStatus[] list(Location at) throws IOException {
    List<FileStatus> found =
        steady(() -> RemoteIterators.remoteIteratorFromArray(store.listStatus(real(at))));
    return found.stream().map(this::shown).toArray(FileStatus[]::new);
  }

  @Override
  public RemoteIterator<LocatedFileStatus> files(Location at) throws IOException {
    List<LocatedFileStatus> found = steady(() -> store.listFiles(real(at), true));
    return RemoteIterators.mappingRemoteIterator(
        RemoteIterators.remoteIteratorFromIterable(found),
        status -> new LocatedFileStatus(shown(status), status.getBlockLocations()));
  }

  private <S extends FileStatus> List<S> steady(Listing<S> listing) throws IOException {
    TableState first = before;
    for (int tries = 0; tries < TRIES; tries++) {
      RemoteIterator<S> all = listing.run();
      List<S> found = new ArrayList<>();
      while (all.hasNext()) {
        found.add(all.next());
      }
      TableState second = look.now();
      if (first.version() == second.version()) {
        TableState start = first;
        found.removeIf(status -> hides(start, status) || hides(second, status));
        return found;
      }
      first = second;
    }
    throw new IOException(
        "The table changed during each of "
            + TRIES
            + " listings. Read it when fewer jobs commit, or write it with"
            + " repave.readers=snapshot.");
  }

  private Path real(Location at) {
    return StorePath.path(store.getUri().getScheme(), at);
  }

  private static boolean hides(TableState state, FileStatus status) {
    return status.isFile() && state.hides(StorePath.location(status.getPath()));
  }

  private FileStatus shown(FileStatus status) {
    Path path = StorePath.path(scheme, StorePath.location(status.getPath()));
    return status.isDirectory()
        ? new FileStatus(0, true, 0, 0, status.getModificationTime(), path)
        : new FileStatus(
            status.getLen(), false, 1, status.getBlockSize(), status.getModificationTime(), path);
  }
}
