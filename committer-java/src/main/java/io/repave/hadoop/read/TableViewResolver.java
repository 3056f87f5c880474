package io.repave.hadoop.read;

import io.repave.core.ledger.PartFileName;
import io.repave.core.record.Readers;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Chooses the view for a path: a pinned version, the published version, or the files in the store.
 *
 * <p>A path that a listing pinned names a version of exactly one table. It is answered from memory
 * if the version is there, without a request. For other paths the head is read: it says which
 * version is published, and which table is in the folder.
 */
public final class TableViewResolver {
  /** The log of Spark's streaming sink. Spark looks for it in each folder that it reads. */
  public static final String STREAMING_LOG = "_spark_metadata";

  private final RecentTables records;
  private final FileSystem store;
  private final String scheme;
  private final VersionCache versions;
  private final SharedStates shared;

  public TableViewResolver(
      TableRecords records, FileSystem store, String scheme, VersionCache versions) {
    this.records = new RecentTables(records, System::nanoTime);
    this.store = store;
    this.scheme = scheme;
    this.versions = versions;
    this.shared = SharedStates.ofQueries(this.records);
  }

  /**
   * The status of what is at a path. That it exists may be known from the last look at its table.
   * That it does not exist is never known from there, except for the log of a streaming query,
   * which no snapshot table has.
   */
  public FileStatus status(StorePath path) throws IOException {
    if (!path.isPinned()) {
      for (Location candidate : everyPossibleTable(path.at())) {
        Optional<TableState> recent = records.recent(candidate);
        if (recent.isPresent() && isStreamingLog(path.at())) {
          throw ReadErrors.notInVersion(path.at(), candidate, recent.get().version());
        }
        Optional<FileStatus> known =
            recent.isPresent() ? known(path, candidate, recent.get()) : Optional.empty();
        if (known.isPresent()) {
          return known.get();
        }
      }
    }
    return of(path).status(path.at());
  }

  private Optional<FileStatus> known(StorePath path, Location table, TableState state)
      throws IOException {
    SnapshotTableView view = snapshot(path, table, state, state.version());
    if (!path.at().equals(table) && !view.isInMemory(path.at())) {
      return Optional.empty();
    }
    try {
      return Optional.of(view.status(path.at()));
    } catch (FileNotFoundException absent) {
      return Optional.empty();
    }
  }

  /** The view for {@code path}. */
  public TableView of(StorePath path) throws IOException {
    if (path.isExact()) {
      return exact(path);
    }
    if (path.isPinned()) {
      TableState state = snapshotTable(path);
      // A moment becomes a version here; the folders that it lists name that version.
      return snapshot(path, path.table(), state, versionOf(path, state));
    }
    FoundTable found = findTable(path.at());
    if (found.state().readers() == Readers.SNAPSHOT) {
      return snapshot(path, found.table(), found.state(), found.state().version());
    }
    TableView listing =
        new ListingTableView(
            store,
            scheme,
            found.state(),
            () -> findTable(path.at()).state(),
            table -> of(StorePath.of(StorePath.path(scheme, table))));
    return found.state() == TableState.UNRECORDED ? new UnrecordedView(listing, records) : listing;
  }

  /** All files of the snapshot table in exactly this folder; empty for every other path. */
  public Optional<VersionFiles> version(StorePath path) throws IOException {
    boolean isPartition = !TablePaths.of(path.at()).root().equals(path.at());
    if (path.isExact() || isPartition) {
      return Optional.empty();
    }
    FoundTable found =
        path.isPinned() ? new FoundTable(path.table(), snapshotTable(path)) : findTable(path.at());
    if (found.state().readers() == Readers.LISTING || !found.table().equals(path.at())) {
      return Optional.empty();
    }
    TableState state = found.state();
    long number = path.isPinned() ? versionOf(path, state) : state.version();
    Path exact = StorePath.pinned(scheme, version(path.at(), state, number), "");
    return Optional.of(new VersionFiles(exact, snapshot(path, path.at(), state, number)));
  }

  /** Whether this thread looks for new files of a stream, which passes over files that are gone. */
  public boolean isForStream() {
    return shared.isForStream();
  }

  /** True if {@link #of} needs no request for this path. */
  public boolean isInMemory(StorePath path) {
    return path.isExact() && exact(path).isInMemory(path.at());
  }

  /**
   * The path of {@code at/rest}, pinned to the published version of a snapshot table; not for a
   * stream, for which every file would be new in each version.
   */
  public Path pin(Location at, String rest) throws IOException {
    FoundTable found = findTable(at);
    if (found.state().readers() == Readers.LISTING || shared.isForStream()) {
      return StorePath.path(scheme, at.resolve(rest));
    }
    Location table = found.table();
    String inside = table.equals(at) ? rest : table.relative(at) + "/" + rest;
    TableVersion version = version(table, found.state(), found.state().version());
    return StorePath.pinned(scheme, version, inside);
  }

  /** The same path, pinned to the version that was the newest at its moment. */
  public Path pinMoment(StorePath path) throws IOException {
    Location table = path.table();
    TableState state = snapshotTable(path);
    String inside = table.equals(path.at()) ? "" : table.relative(path.at());
    return StorePath.pinned(scheme, version(table, state, versionOf(path, state)), inside);
  }

  /** The version may be in memory although vacuum has removed its files. */
  private static long versionOf(StorePath pinned, TableState state) throws IOException {
    if (pinned.moment().isPresent()) {
      return state.versionAt(pinned.moment().get().instant());
    }
    state.requireKept(pinned.version());
    return pinned.version();
  }

  /** The table of a location. Without a table, the location itself and an unrecorded state. */
  private record FoundTable(Location table, TableState state) {}

  private FoundTable findTable(Location at) throws IOException {
    Iterator<Location> folders = everyPossibleTable(at).iterator();
    Location nearest = folders.next();
    Optional<TableState> found = find(nearest, at);
    if (found.isPresent()) {
      return new FoundTable(nearest, found.get());
    }
    while (folders.hasNext()) {
      Location above = folders.next();
      found = findAbove(above, at);
      if (found.isPresent()) {
        return new FoundTable(above, found.get());
      }
    }
    return new FoundTable(at, TableState.UNRECORDED);
  }

  private Optional<TableState> find(Location table, Location at) throws IOException {
    return table.holds(at) ? shared.find(table, at) : records.find(table);
  }

  /** A reader that may not read the records of a folder above sees no table there. */
  private Optional<TableState> findAbove(Location folder, Location at) throws IOException {
    try {
      return find(folder, at);
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.DENIED) {
        throw e;
      }
      return Optional.empty();
    }
  }

  /** The state of the table of a pinned path, which must be a snapshot table. */
  private TableState snapshotTable(StorePath path) throws IOException {
    String pin = path.moment().map(Moment::text).orElse("v" + path.version());
    TableState state =
        records.find(path.table()).orElseThrow(() -> ReadErrors.noVersions(path.table(), pin));
    if (state.readers() == Readers.LISTING) {
      throw ReadErrors.listingTableKeepsNoVersions(path.table(), pin);
    }
    return state;
  }

  private SnapshotTableView exact(StorePath path) {
    TableVersion version = TableVersion.of(path);
    return view(
        path,
        version,
        (folders, bytesMax) -> {
          TableState state = snapshotTable(path);
          if (!version(path.table(), state, path.version()).equals(version)) {
            throw ReadErrors.anotherTable(path.table(), path.version());
          }
          return state.files(path.version(), folders, bytesMax);
        });
  }

  private SnapshotTableView snapshot(
      StorePath path, Location table, TableState state, long version) {
    return view(
        path,
        version(table, state, version),
        (folders, bytesMax) -> state.files(version, folders, bytesMax));
  }

  private SnapshotTableView view(StorePath path, TableVersion version, VersionCache.Loader loader) {
    long blockBytes =
        store.getDefaultBlockSize(StorePath.path(store.getUri().getScheme(), version.table()));
    ListedPaths listed =
        shared.isForStream() && !path.isPinned() ? ListedPaths.OF_TABLE : ListedPaths.OF_VERSION;
    return new SnapshotTableView(path, version, versions, loader, listed, scheme, blockBytes);
  }

  private static TableVersion version(Location table, TableState state, long version) {
    return TableVersion.of(table, state.tableId(), version);
  }

  /** Usual tables of a location: without its partition folders, or without its file name. */
  private static Set<Location> possibleTables(Location at) {
    Set<Location> candidates = new LinkedHashSet<>();
    if (!isStreamingLog(at) && PartFileName.commitOf(at.name()).isEmpty()) {
      candidates.add(TablePaths.of(at).root());
    }
    if (!at.key().isEmpty()) {
      // For a partition folder this is the same location.
      candidates.add(TablePaths.of(at.parent()).root());
    }
    return candidates;
  }

  /**
   * The folders above the possible tables, the nearest first. Folders inside a table need not be
   * named {@code key=value}: an adopted table may have {@code 2026/11/22}.
   */
  private static Set<Location> foldersAbove(Location at) {
    Set<Location> folders = new LinkedHashSet<>();
    if (at.key().isEmpty() || isStreamingLog(at)) {
      return folders;
    }
    Location folder = TablePaths.of(at.parent()).root();
    while (!folder.key().isEmpty()) {
      folder = TablePaths.of(folder.parent()).root();
      folders.add(folder);
    }
    return folders;
  }

  private static Set<Location> everyPossibleTable(Location at) {
    Set<Location> tables = possibleTables(at);
    tables.addAll(foldersAbove(at));
    return tables;
  }

  private static boolean isStreamingLog(Location at) {
    return at.key().endsWith("/" + STREAMING_LOG);
  }
}
