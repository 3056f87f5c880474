package io.repave.hadoop.read;

import io.repave.core.record.Readers;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Chooses the view for a path: a pinned version, the published version, or the files in the store.
 * A version never changes, so the last few are cached. The head is read each time, because a table
 * may be dropped and created again.
 */
public final class TableViewResolver {
  private static final int CACHED_VERSIONS = 4;

  /** A later table in the same folder has another id, so its versions are other ones. */
  private record VersionKey(String tableId, long version) {}

  private final TableRecords records;
  private final FileSystem store;
  private final String scheme;
  private final Map<VersionKey, SnapshotFiles> cached =
      new LinkedHashMap<>(CACHED_VERSIONS, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<VersionKey, SnapshotFiles> eldest) {
          return size() > CACHED_VERSIONS;
        }
      };

  public TableViewResolver(TableRecords records, FileSystem store, String scheme) {
    this.records = records;
    this.store = store;
    this.scheme = scheme;
  }

  /** The view for {@code path}. */
  public TableView of(StorePath path) throws IOException {
    if (path.isPinned()) {
      return pinned(path);
    }
    FoundTable found = findTable(path.at());
    return found.state().readers() == Readers.LISTING
        ? new ListingTableView(store, scheme, found.state(), () -> findTable(path.at()).state())
        : snapshot(found.table(), found.state(), found.state().version());
  }

  /** The path of {@code at/rest}, pinned to the published version of a snapshot table. */
  public Path pin(Location at, String rest) throws IOException {
    FoundTable found = findTable(at);
    if (found.state().readers() == Readers.LISTING) {
      return StorePath.path(scheme, at.resolve(rest));
    }
    Location table = found.table();
    String inside = table.equals(at) ? rest : table.relative(at) + "/" + rest;
    return StorePath.pinned(scheme, table, found.state().version(), inside);
  }

  /** The table of a location. Without a table, the location itself and an unrecorded state. */
  private record FoundTable(Location table, TableState state) {}

  private FoundTable findTable(Location at) throws IOException {
    for (Location candidate : possibleTables(at)) {
      Optional<TableState> found = records.find(candidate);
      if (found.isPresent()) {
        return new FoundTable(candidate, found.get());
      }
    }
    return new FoundTable(at, TableState.UNRECORDED);
  }

  /** A moment becomes a version here; the paths of what is listed name that version. */
  private TableView pinned(StorePath path) throws IOException {
    Location table = path.table();
    String pin = path.moment().map(Instant::toString).orElse("v" + path.version());
    TableState state = records.find(table).orElseThrow(() -> ReadErrors.noVersions(table, pin));
    if (state.readers() == Readers.LISTING) {
      throw ReadErrors.listingTableKeepsNoVersions(table, pin);
    }
    long version =
        path.moment().isPresent() ? state.versionAt(path.moment().get()) : path.version();
    return snapshot(table, state, version);
  }

  private TableView snapshot(Location table, TableState state, long version) throws IOException {
    VersionKey key = new VersionKey(state.tableId(), version);
    synchronized (cached) {
      SnapshotFiles files = cached.get(key);
      if (files == null) {
        files = state.files(version);
        cached.put(key, files);
      }
      return new SnapshotTableView(files, table, version, scheme, blockBytes(table));
    }
  }

  private long blockBytes(Location table) {
    return store.getDefaultBlockSize(StorePath.path(store.getUri().getScheme(), table));
  }

  /** Possible tables of a location: without its partition folders, or without its file name. */
  private static Set<Location> possibleTables(Location at) {
    Set<Location> candidates = new LinkedHashSet<>();
    candidates.add(TablePaths.of(at).root());
    if (!at.key().isEmpty()) {
      // For a partition folder this is the same location.
      candidates.add(TablePaths.of(parent(at)).root());
    }
    return candidates;
  }

  private static Location parent(Location at) {
    int slash = at.key().lastIndexOf('/');
    return new Location(at.bucket(), slash < 0 ? "" : at.key().substring(0, slash));
  }
}
