package io.repave.hadoop.read;

import static io.repave.core.record.FollowerKind.DELTA;
import static io.repave.core.record.FollowerKind.SYMLINK;

import io.repave.core.Table;
import io.repave.core.engine.BoundedMap;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Ports;
import io.repave.core.error.UsageErrors;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitState;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.Readers;
import io.repave.core.record.RecordNames;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Location;
import io.repave.hadoop.runtime.InterruptibleCall;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Table records, read by the engine. */
public final class EngineRecords implements TableRecords {
  private static final int CACHED_MANIFESTS = 4;

  private final Ports ports;
  private final EngineSettings settings;
  private final Map<CommitId, Set<Location>> replacedFiles = BoundedMap.ofNewest(CACHED_MANIFESTS);

  public EngineRecords(Ports ports, EngineSettings settings) {
    this.ports = ports;
    this.settings = settings;
  }

  @Override
  public Optional<TableState> find(Location root) throws IOException {
    Table table = table(root);
    Optional<Head> head = awaited(table::head);
    if (head.isEmpty()) {
      return Optional.empty();
    }
    TablePaths paths = table.paths();
    List<Location> kept = List.of(paths.records(), paths.pointer(DELTA), paths.pointer(SYMLINK));
    return Optional.of(new State(table, head.get(), replaced(table, head.get()), kept));
  }

  @Override
  public void requireHeadNotDeleted(Location root) throws IOException {
    awaited(
        () -> {
          table(root).requireHeadNotDeleted();
          return root;
        });
  }

  private Table table(Location root) {
    return Table.open(ports, new TablePaths(root), settings);
  }

  /** The files that published commits are deleting, from their manifests. */
  private Set<Location> replaced(Table table, Head head) throws IOException {
    Set<Location> replaced = new HashSet<>();
    for (ActiveCommit commit : head.active()) {
      if (head.readers() == Readers.LISTING
          && commit.state() == CommitState.CLEANING
          && commit.kind().replaces()) {
        replaced.addAll(replaced(table, commit.id()));
      }
    }
    return replaced;
  }

  /** Cached: a manifest never changes, and each listing may see the commit of the same dead job. */
  private Set<Location> replaced(Table table, CommitId id) throws IOException {
    synchronized (replacedFiles) {
      Set<Location> known = replacedFiles.get(id);
      if (known != null) {
        return known;
      }
    }
    Set<Location> replaced = new HashSet<>();
    Optional<CommitManifest> manifest = awaited(() -> table.manifest(id));
    if (manifest.isPresent()) {
      awaited(
          () -> {
            table.entries(manifest.get(), entries -> addOut(table.paths(), entries, replaced));
            return replaced;
          });
      synchronized (replacedFiles) {
        replacedFiles.put(id, replaced);
      }
    }
    return replaced;
  }

  private static void addOut(TablePaths paths, List<PartitionEntry> entries, Set<Location> out) {
    for (PartitionEntry entry : entries) {
      entry.out().forEach(file -> out.add(paths.file(entry.partition(), file.name())));
    }
  }

  /** {@code kept} are the folders of Repave itself in the table's folder. */
  private record State(Table table, Head head, Set<Location> replaced, List<Location> kept)
      implements TableState {
    @Override
    public String tableId() {
      return head.tableId();
    }

    @Override
    public Readers readers() {
      return head.readers();
    }

    @Override
    public long version() {
      return head.version();
    }

    @Override
    public boolean hides(Location file) {
      if (replaced.contains(file) || isKeptByRepave(file)) {
        return true;
      }
      for (ActiveCommit commit : head.active()) {
        // A commit that is being reverted was not published either.
        if (commit.state() != CommitState.CLEANING
            && PartFileName.belongsTo(file.name(), commit.id().id())) {
          return true;
        }
      }
      return false;
    }

    /** Spark hides such folders by their names, except from a pattern that matches them. */
    private boolean isKeptByRepave(Location at) {
      return kept.stream().anyMatch(folder -> folder.equals(at) || folder.holds(at));
    }

    @Override
    public void requireKept(long version) throws IOException {
      requireKept(head, version);
    }

    private void requireKept(Head at, long version) throws IOException {
      if (!at.keeps(version)) {
        throw UsageErrors.versionNotKept(
            table.paths().root(), at.oldestVersion(), at.version(), version);
      }
    }

    @Override
    public long versionAt(Instant moment) throws IOException {
      return awaited(() -> table.answer(head, it -> table.versionAt(it, moment.toEpochMilli())));
    }

    @Override
    public Optional<SnapshotFiles> files(long version, Collection<String> folders, long bytesMax)
        throws IOException {
      Footprint wanted = Footprint.reaching(folders);
      return awaited(() -> table.answer(head, it -> read(it, version, wanted, bytesMax)));
    }

    private Optional<SnapshotFiles> read(Head at, long version, Footprint wanted, long bytesMax)
        throws IOException, InterruptedException {
      requireKept(at, version);
      SnapshotFiles files = new SnapshotFiles();
      try (LiveFiles.Open live = table.liveFiles(at, version, wanted)) {
        for (var next = live.next(); next.isPresent(); next = live.next()) {
          String partition = next.get().partition();
          if (!RecordNames.isOutside(partition)) {
            files.add(partition, next.get().file());
          }
          if (files.bytes() > bytesMax) {
            return Optional.empty();
          }
        }
      }
      return Optional.of(files);
    }
  }

  private static <T> T awaited(InterruptibleCall<T> call) throws IOException {
    return InterruptibleCall.run("Interrupted while reading the records of a table.", call);
  }
}
