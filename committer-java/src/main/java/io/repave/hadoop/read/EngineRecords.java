package io.repave.hadoop.read;

import io.repave.core.Table;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Ports;
import io.repave.core.error.UsageErrors;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitState;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.Readers;
import io.repave.core.record.RecordNames;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.store.Location;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The records as the engine reads them. */
public final class EngineRecords implements TableRecords {
  private static final int PLANS_KEPT = 4;

  private final Ports ports;
  private final EngineSettings settings;
  private final Map<CommitId, Set<Location>> plans =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<CommitId, Set<Location>> eldest) {
          return size() > PLANS_KEPT;
        }
      };

  public EngineRecords(Ports ports, EngineSettings settings) {
    this.ports = ports;
    this.settings = settings;
  }

  @Override
  public Optional<TableState> find(Location root) throws IOException {
    Table table = Table.open(ports, new TablePaths(root), settings);
    Optional<Head> head = awaited(table::head);
    if (head.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new State(table, head.get(), leaving(table, head.get())));
  }

  /** The files that published commits are deleting: they are in their plans. */
  private Set<Location> leaving(Table table, Head head) throws IOException {
    Set<Location> leaving = new HashSet<>();
    for (ActiveCommit commit : head.active()) {
      if (head.readers() == Readers.LISTING
          && commit.state() == CommitState.CLEANING
          && commit.kind().replaces()) {
        leaving.addAll(leaving(table, commit.id()));
      }
    }
    return leaving;
  }

  /** A plan never changes, and the commit of a dead job may be met by every listing of a query. */
  private Set<Location> leaving(Table table, CommitId id) throws IOException {
    synchronized (plans) {
      Set<Location> known = plans.get(id);
      if (known != null) {
        return known;
      }
    }
    Set<Location> leaving = new HashSet<>();
    Optional<CommitManifest> plan = awaited(() -> table.manifest(id));
    if (plan.isPresent()) {
      awaited(
          () -> {
            table.entries(plan.get(), entries -> addOut(table.paths(), entries, leaving));
            return leaving;
          });
      synchronized (plans) {
        plans.put(id, leaving);
      }
    }
    return leaving;
  }

  private static void addOut(TablePaths paths, List<PartitionEntry> entries, Set<Location> out) {
    for (PartitionEntry entry : entries) {
      entry.out().forEach(file -> out.add(paths.file(entry.partition(), file.name())));
    }
  }

  private record State(Table table, Head head, Set<Location> leaving) implements TableState {
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
      if (leaving.contains(file)) {
        return true;
      }
      String name = file.key().substring(file.key().lastIndexOf('/') + 1);
      for (ActiveCommit commit : head.active()) {
        // A commit that is being taken back was never published either.
        if (commit.state() != CommitState.CLEANING
            && PartFileName.belongsTo(name, commit.id().id())) {
          return true;
        }
      }
      return false;
    }

    @Override
    public SnapshotFiles files(long version) throws IOException {
      if (!head.keeps(version)) {
        throw new FileNotFoundException(
            UsageErrors.versionNotKept(
                    table.paths().root(), head.oldestVersion(), head.version(), version)
                .getMessage());
      }
      Snapshot snapshot = awaited(() -> table.snapshot(head, version));
      SnapshotFiles files = new SnapshotFiles();
      for (String partition : snapshot.partitions()) {
        if (!RecordNames.isOutside(partition)) {
          for (FileEntry file : snapshot.files(partition)) {
            files.add(partition, file);
          }
        }
      }
      return files;
    }
  }

  private interface Call<T> {
    T run() throws IOException, InterruptedException;
  }

  /** Hadoop's readers know no InterruptedException. */
  private static <T> T awaited(Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while reading a table's records.");
    }
  }
}
