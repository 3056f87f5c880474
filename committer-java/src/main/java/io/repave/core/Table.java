package io.repave.core;

import io.repave.core.commit.BeginTransaction;
import io.repave.core.commit.CancelCommit;
import io.repave.core.commit.MetadataOnlyCommit;
import io.repave.core.commit.Recovery;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.conflict.AwaitUnfinishedCommits;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Ports;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.TableContext;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.History;
import io.repave.core.snapshot.RepairRecords;
import io.repave.core.snapshot.RepairReport;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.vacuum.Vacuum;
import io.repave.core.vacuum.VacuumReport;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A table: the way in for everything that commits to it, recovers it, or reads its records. */
public final class Table {
  private final Ports ports;
  private final TablePaths paths;
  private final EngineSettings settings;

  private Table(Ports ports, TablePaths paths, EngineSettings settings) {
    this.ports = ports;
    this.paths = paths;
    this.settings = settings;
  }

  public static Table open(Ports ports, TablePaths paths, EngineSettings settings) {
    return new Table(ports, paths, settings);
  }

  public TablePaths paths() {
    return paths;
  }

  /**
   * Begins a job before its first task: 1 GET, whose version is the base for conflicts. Unfinished
   * commits that may stand in the way of an overwrite are over first ({@link
   * AwaitUnfinishedCommits}), so that a driver which is started again after a crash need not fail
   * for what the dead one left. The first job of a table that is read by snapshots also takes into
   * the records what lies there already.
   */
  public WriteTransaction begin(CommitRequest request) throws IOException, InterruptedException {
    return new BeginTransaction(this::context).run(request);
  }

  /** Finishes every commit that a dead process left unfinished. */
  public List<RecoveredCommit> recover() throws IOException, InterruptedException {
    return new Recovery(this::context).run();
  }

  /** Makes the records name the files that lie in the table, no more and no fewer. */
  public CommitResult adopt() throws IOException, InterruptedException {
    return new MetadataOnlyCommit(this::context).adopt();
  }

  /**
   * Begins the records anew from the files that lie in the table, when records of its history are
   * gone. No row changes, and no version is added.
   */
  public RepairReport repair() throws IOException, InterruptedException {
    return new RepairRecords(context()).run();
  }

  /** Takes back an unfinished commit that cannot be planned. */
  public RecoveredCommit cancel(String commit) throws IOException, InterruptedException {
    return new CancelCommit(context()).run(commit);
  }

  /** Makes the files of an earlier version the live ones again. */
  public CommitResult rollback(long version) throws IOException, InterruptedException {
    return new MetadataOnlyCommit(this::context).rollback(version);
  }

  /** The head as it is now; empty for a table that nobody has committed to. */
  public Optional<Head> head() throws IOException, InterruptedException {
    return context().heads().read().head();
  }

  /** All published commits that the records still name, oldest first. */
  public List<LoggedCommit> history() throws IOException, InterruptedException {
    return history(Integer.MAX_VALUE);
  }

  /** At least so many of the newest, if there are. */
  public List<LoggedCommit> history(int wanted) throws IOException, InterruptedException {
    TableContext context = context();
    Optional<Head> head = context.heads().read().head();
    return head.isEmpty() ? List.of() : new History(context).newest(head.get(), wanted);
  }

  /** What a commit put in and took out; empty when it has no plan yet. */
  public Optional<CommitManifest> manifest(CommitId id) throws IOException, InterruptedException {
    return CommitManifest.read(context(), id);
  }

  /** The files that the records name as live at a version. */
  public Snapshot snapshot(Head head, long version) throws IOException, InterruptedException {
    return Snapshot.read(context(), head, version);
  }

  /** Hands on all entries of a plan, shard by shard. */
  public void entries(CommitManifest plan, CommitManifest.Entries entries)
      throws IOException, InterruptedException {
    plan.each(context(), entries);
  }

  /** Removes what is older than the retention and nobody needs. */
  public VacuumReport vacuum(long retentionMillis) throws IOException, InterruptedException {
    return new Vacuum(context(), retentionMillis).run();
  }

  /** What {@link #vacuum} would remove. */
  public VacuumReport rehearseVacuum(long retentionMillis)
      throws IOException, InterruptedException {
    return new Vacuum(context(), retentionMillis).rehearse();
  }

  /** A context of its own for each commit, so that requests and milliseconds are its own. */
  private TableContext context() {
    Meter meter = new Meter(ports.clock(), ports.progress());
    return new TableContext(ports.with(new CountedStore(ports.store())), paths, settings, meter);
  }
}
