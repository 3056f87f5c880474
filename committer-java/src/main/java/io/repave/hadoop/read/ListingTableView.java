package io.repave.hadoop.read;

import io.repave.core.store.Location;
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
 * The files of a listing table: those in the store, without unpublished and replaced ones and those
 * of Repave itself.
 *
 * <p>The table's state is read before and after a listing. If a commit was published in between,
 * the listing may show any part of its change, so it is repeated. Otherwise the view hides the
 * files that either state hides.
 */
final class ListingTableView implements TableView {
  private static final int TRIES = 10;

  private final FileSystem store;
  private final String scheme;
  private final TableState before;
  private final StateReader states;
  private final Views views;

  /** Reads the current state of the table. */
  interface StateReader {
    TableState read() throws IOException;
  }

  /** The views of tables below. */
  interface Views {
    TableView of(Location table) throws IOException;
  }

  private interface Listing<S extends FileStatus> {
    RemoteIterator<S> run() throws IOException;
  }

  /** Shows the files of {@code store} under paths with {@code scheme}. */
  ListingTableView(
      FileSystem store, String scheme, TableState before, StateReader states, Views views) {
    this.store = store;
    this.scheme = scheme;
    this.before = before;
    this.states = states;
    this.views = views;
  }

  @Override
  public FileStatus status(Location at) throws IOException {
    FileStatus status = store.getFileStatus(real(at));
    if (hides(before, status)) {
      throw ReadErrors.notPublished(at);
    }
    return shown(status);
  }

  @Override
  public FileStatus[] list(Location at) throws IOException {
    List<FileStatus> found =
        consistent(() -> RemoteIterators.remoteIteratorFromArray(store.listStatus(real(at))));
    return found.stream().map(this::shown).toArray(FileStatus[]::new);
  }

  @Override
  public RemoteIterator<LocatedFileStatus> files(Location at) throws IOException {
    List<LocatedFileStatus> found = consistent(() -> store.listFiles(real(at), true));
    TablesInListing inner = new TablesInListing(found.stream().map(ListingTableView::location));
    found.removeIf(file -> inner.hold(location(file)));
    found.replaceAll(file -> new LocatedFileStatus(shown(file), file.getBlockLocations()));
    for (Location table : inner.all()) {
      for (RemoteIterator<LocatedFileStatus> own = views.of(table).files(table); own.hasNext(); ) {
        found.add(own.next());
      }
    }
    return RemoteIterators.remoteIteratorFromIterable(found);
  }

  private <S extends FileStatus> List<S> consistent(Listing<S> listing) throws IOException {
    TableState first = before;
    for (int tries = 0; tries < TRIES; tries++) {
      RemoteIterator<S> all = listing.run();
      List<S> found = new ArrayList<>();
      while (all.hasNext()) {
        found.add(all.next());
      }
      TableState second = states.read();
      if (first.version() == second.version()) {
        TableState start = first;
        found.removeIf(status -> hides(start, status) || hides(second, status));
        return found;
      }
      first = second;
    }
    throw ReadErrors.changedDuringListings(TRIES);
  }

  private Path real(Location at) {
    return StorePath.path(store.getUri().getScheme(), at);
  }

  private static boolean hides(TableState state, FileStatus status) {
    return state.hides(location(status));
  }

  private static Location location(FileStatus status) {
    return StorePath.location(status.getPath());
  }

  private FileStatus shown(FileStatus status) {
    Path path = StorePath.path(scheme, location(status));
    return status.isDirectory()
        ? new FileStatus(0, true, 0, 0, status.getModificationTime(), path)
        : new FileStatus(
            status.getLen(), false, 1, status.getBlockSize(), status.getModificationTime(), path);
  }
}
