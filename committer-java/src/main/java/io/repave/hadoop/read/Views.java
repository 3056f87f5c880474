package io.repave.hadoop.read;

import io.repave.core.record.Readers;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Finds out what a reader should see at a path: a pinned version, the published one, or the files
 * as they lie. A version never changes, so the last few that were read are kept; the head is read
 * each time, since a table may be dropped and begin anew.
 */
public final class Views {
  private static final int KEPT = 4;

  /** A version of a table, which is not the same version of a later table in the same folder. */
  private record VersionKey(String tableId, long version) {}

  private final TableRecords records;
  private final FileSystem store;
  private final String scheme;
  private final Map<VersionKey, SnapshotFiles> kept =
      new LinkedHashMap<>(KEPT, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<VersionKey, SnapshotFiles> eldest) {
          return size() > KEPT;
        }
      };

  public Views(TableRecords records, FileSystem store, String scheme) {
    this.records = records;
    this.store = store;
    this.scheme = scheme;
  }

  /** The view in which {@code path} is to be looked at. */
  public View of(StorePath path) throws IOException {
    if (path.isPinned()) {
      return pinned(path.table(), path.version());
    }
    Around found = around(path.at());
    return found.state().readers() == Readers.LISTING
        ? new LyingView(store, scheme, found.state(), () -> around(path.at()).state())
        : snapshot(found.table(), found.state(), found.state().version());
  }

  /** {@code at/rest}, in the version that is published now when its table has versions. */
  public Path pin(Location at, String rest) throws IOException {
    Around found = around(at);
    if (found.state().readers() == Readers.LISTING) {
      return StorePath.path(scheme, at.resolve(rest));
    }
    Location table = found.table();
    String inside = table.equals(at) ? rest : table.relative(at) + "/" + rest;
    return StorePath.pinned(scheme, table, found.state().version(), inside);
  }

  /** The table that a place belongs to; the place itself, unrecorded, when there is none. */
  private record Around(Location table, TableState state) {}

  private Around around(Location at) throws IOException {
    for (Location candidate : tablesAround(at)) {
      Optional<TableState> found = records.find(candidate);
      if (found.isPresent()) {
        return new Around(candidate, found.get());
      }
    }
    return new Around(at, TableState.UNRECORDED);
  }

  private View pinned(Location table, long version) throws IOException {
    TableState state =
        records
            .find(table)
            .orElseThrow(
                () ->
                    new FileNotFoundException(
                        table
                            + " has no versions: Repave has not written it. Read it without @v"
                            + version
                            + "."));
    if (state.readers() == Readers.LISTING) {
      throw new IOException(
          table
              + " keeps no earlier versions: it is written for readers that list folders"
              + " (repave.readers=listing), so replaced files are deleted. Read it without @v"
              + version
              + ".");
    }
    return snapshot(table, state, version);
  }

  private View snapshot(Location table, TableState state, long version) throws IOException {
    VersionKey key = new VersionKey(state.tableId(), version);
    synchronized (kept) {
      SnapshotFiles files = kept.get(key);
      if (files == null) {
        files = state.files(version);
        kept.put(key, files);
      }
      return new SnapshotView(files, table, version, scheme, blockBytes(table));
    }
  }

  private long blockBytes(Location table) {
    return store.getDefaultBlockSize(StorePath.path(store.getUri().getScheme(), table));
  }

  /** Where the table of a place may be: without its partition folders, or without its file name. */
  private static Set<Location> tablesAround(Location at) {
    Set<Location> candidates = new LinkedHashSet<>();
    candidates.add(TablePaths.of(at).root());
    if (!at.key().isEmpty()) {
      // For a partition folder this is the same once more.
      candidates.add(TablePaths.of(parent(at)).root());
    }
    return candidates;
  }

  private static Location parent(Location at) {
    int slash = at.key().lastIndexOf('/');
    return new Location(at.bucket(), slash < 0 ? "" : at.key().substring(0, slash));
  }
}
