package io.repave.hadoop.read;

import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Finds out what a reader should see at a path: a pinned version, the published one, or the files
 * as they lie. A version never changes, so the last few that were read are kept.
 */
public final class Views {
  private static final int KEPT = 4;

  private final TableRecords records;
  private final FileSystem store;
  private final String scheme;
  private final Map<StorePath, SnapshotFiles> kept =
      new LinkedHashMap<>(KEPT, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<StorePath, SnapshotFiles> eldest) {
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
    for (Location candidate : tablesAround(path.at())) {
      Optional<TableState> found = records.find(candidate);
      if (found.isPresent()) {
        return view(candidate, found.get());
      }
    }
    return new LyingView(store, scheme, file -> false);
  }

  /** {@code at/rest}, in the version that is published now when its table has versions. */
  public Path pin(Location at, String rest) throws IOException {
    for (Location candidate : tablesAround(at)) {
      Optional<TableState> found = records.find(candidate);
      if (found.isPresent() && found.get().readers() == Readers.SNAPSHOT) {
        String inside = candidate.equals(at) ? rest : candidate.relative(at) + "/" + rest;
        return StorePath.pinned(scheme, candidate, found.get().version(), inside);
      }
    }
    return StorePath.path(scheme, at.resolve(rest));
  }

  private View view(Location table, TableState state) throws IOException {
    if (state.readers() == Readers.LISTING) {
      return new LyingView(store, scheme, state::hides);
    }
    return snapshot(table, state, state.version());
  }

  private View pinned(Location table, long version) throws IOException {
    StorePath key = new StorePath(table, version, table);
    synchronized (kept) {
      SnapshotFiles files = kept.get(key);
      if (files != null) {
        return new SnapshotView(files, table, version, scheme, blockBytes(table));
      }
    }
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
    StorePath key = new StorePath(table, version, table);
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
  private static List<Location> tablesAround(Location at) {
    List<Location> candidates = new ArrayList<>();
    candidates.add(withoutPartitions(at));
    if (!at.key().isEmpty() && !isPartition(at.key())) {
      Location folder = withoutPartitions(parent(at));
      if (!folder.equals(candidates.get(0))) {
        candidates.add(folder);
      }
    }
    return candidates;
  }

  private static Location withoutPartitions(Location at) {
    Location table = at;
    while (!table.key().isEmpty() && isPartition(table.key())) {
      table = parent(table);
    }
    return table;
  }

  private static boolean isPartition(String key) {
    return key.indexOf('=', key.lastIndexOf('/') + 1) > key.lastIndexOf('/') + 1;
  }

  private static Location parent(Location at) {
    int slash = at.key().lastIndexOf('/');
    return new Location(at.bucket(), slash < 0 ? "" : at.key().substring(0, slash));
  }
}
