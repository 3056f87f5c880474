package io.repave.core;

import io.repave.core.error.CommitConflict;
import io.repave.core.error.InvalidConfig;
import io.repave.core.ledger.LedgerSummary;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.record.RecordNames;
import io.repave.core.record.TablePaths;
import io.repave.core.step.HeadStore;
import io.repave.core.step.Meter;
import io.repave.core.step.Neighbours;
import io.repave.core.step.Planned;
import io.repave.core.step.Predecessors;
import io.repave.core.step.Reserve;
import io.repave.core.step.Snapshot;
import io.repave.core.step.Snapshots;
import io.repave.core.step.StepContext;
import io.repave.core.store.CountedStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
   * commits that may stand in the way of an overwrite are over first ({@link Predecessors}), so
   * that a driver which is started again after a crash need not fail for what the dead one left.
   * The first job of a table that is read by snapshots also takes into the records what lies there
   * already.
   */
  public CommitJob begin(CommitRequest request) throws IOException, InterruptedException {
    StepContext context = context();
    HeadStore.Seen seen = context.heads().read();
    requireReaders(seen.head());
    requireToken(request.token());
    if (settings.readers() == Readers.SNAPSHOT) {
      seen = adopted(context, seen);
      // Another first job may have begun the table meanwhile, for other readers.
      requireReaders(seen.head());
    }
    Reserve reserve = reserve(context, request, seen);
    CommitId id = new CommitId(request.commit(), ports.clock().wallMillis());
    return new CommitJob(context, id, request, reserve);
  }

  /**
   * Makes sure that what lies in a new table is adopted before any task of ours puts a file beside
   * it: an unpublished file must never be taken for an old one.
   */
  private HeadStore.Seen adopted(StepContext context, HeadStore.Seen begun)
      throws IOException, InterruptedException {
    HeadStore.Seen seen = begun;
    if (seen.head().isEmpty()) {
      try {
        adopt(context(), seen);
      } catch (CommitConflict another) {
        // Another job adopts them; below, it is helped to the end.
      }
      seen = context.heads().read();
    }
    for (ActiveCommit commit : seen.head().map(Head::active).orElse(List.of())) {
      if (commit.kind() == CommitKind.ADOPT) {
        new Recovery(this::context).finish(commit);
        seen = context.heads().read();
      }
    }
    return seen;
  }

  private void requireReaders(Optional<Head> head) throws InvalidConfig {
    if (head.isPresent() && head.get().readers() != settings.readers()) {
      throw new InvalidConfig(
          "The table "
              + paths.root()
              + " is recorded with repave.readers="
              + name(head.get().readers())
              + " and this job asks for "
              + name(settings.readers())
              + ". Its files would be wrong for its readers; set repave.readers="
              + name(head.get().readers())
              + ", or write to another folder.");
    }
  }

  /** A token that cannot name a record would stop its commit when it is published already. */
  private void requireToken(String token) throws InvalidConfig {
    int bytes = paths.token(token).key().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > RecordNames.KEY_BYTES_MAX) {
      throw new InvalidConfig(
          "The token of this job (repave.token) is too long: the key of its record would have "
              + bytes
              + " bytes, and the store takes "
              + RecordNames.KEY_BYTES_MAX
              + ". Use a shorter one, such as a hash of it.");
    }
  }

  private static String name(Readers readers) {
    return readers.name().toLowerCase(java.util.Locale.ROOT);
  }

  /** Finishes every commit that a dead process left unfinished. */
  public List<Recovered> recover() throws IOException, InterruptedException {
    return new Recovery(this::context).run();
  }

  /** Makes the records name the files that lie in the table, no more and no fewer. */
  public CommitResult adopt() throws IOException, InterruptedException {
    StepContext context = context();
    HeadStore.Seen seen = context.heads().read();
    if (seen.head().filter(head -> head.readers() == Readers.SNAPSHOT).isPresent()) {
      throw new InvalidConfig(
          "The table "
              + paths.root()
              + " is read by snapshots and has adopted its files when it was first written;"
              + " what lies there beside them is not published.");
    }
    return adopt(context, seen);
  }

  private CommitResult adopt(StepContext context, HeadStore.Seen seen)
      throws IOException, InterruptedException {
    return alone(context, seen, CommitKind.ADOPT, 0);
  }

  /** Makes the files of an earlier version the live ones again. */
  public CommitResult rollback(long version) throws IOException, InterruptedException {
    StepContext context = context();
    HeadStore.Seen seen = context.heads().read();
    Head head = seen.head().orElseThrow(() -> unrecorded());
    if (head.readers() == Readers.LISTING) {
      throw new InvalidConfig(
          "The table "
              + paths.root()
              + " is read by listing: the files that a commit replaces are deleted with it, so no"
              + " earlier version can be brought back. Tables with repave.readers=snapshot keep"
              + " them until vacuum.");
    }
    if (version < head.oldestVersion() || version > head.version()) {
      throw new InvalidConfig(
          "The table "
              + paths.root()
              + " has the versions "
              + head.oldestVersion()
              + " to "
              + head.version()
              + "; "
              + version
              + " is not among them.");
    }
    return alone(context, seen, CommitKind.ROLLBACK, version);
  }

  /** A commit without files of its own, over the whole table. */
  private CommitResult alone(StepContext context, HeadStore.Seen seen, CommitKind kind, long target)
      throws IOException, InterruptedException {
    CommitRequest request = new CommitRequest(ports.nonces().get(), kind, List.of(""), "", "");
    Reserve reserve = reserve(context, request, seen);
    CommitId id = new CommitId(request.commit(), ports.clock().wallMillis());
    TaskLedgers none = new TaskLedgers(List.of());
    LedgerSummary empty = none.summary();
    LedgerIndex index = new LedgerIndex(id, kind, request.scope(), "", "", empty, target, 0);
    return new JobCommit(context, new Reporter(context), reserve).run(index, none);
  }

  /** The base is the version of the head as it is when nothing stands in the way any more. */
  private Reserve reserve(StepContext context, CommitRequest request, HeadStore.Seen seen)
      throws IOException, InterruptedException {
    Recovery recovery = new Recovery(this::context);
    Neighbours neighbours = new Neighbours(context, recovery::finish);
    return new Reserve(
        context, neighbours, new Predecessors(context, neighbours).over(request, seen));
  }

  /** The head as it is now; empty for a table that nobody has committed to. */
  public Optional<Head> head() throws IOException, InterruptedException {
    return context().heads().read().head();
  }

  /** All published commits, oldest first. */
  public List<LoggedCommit> history() throws IOException, InterruptedException {
    StepContext context = context();
    Optional<Head> head = context.heads().read().head();
    return head.isEmpty() ? List.of() : new Snapshots(context).publishedSince(head.get(), 0);
  }

  /** What a commit put in and took out; empty when it has no plan yet. */
  public Optional<Planned> manifest(CommitId id) throws IOException, InterruptedException {
    return Planned.read(context(), id);
  }

  /** The files that the records name as live at a version. */
  public Snapshot snapshot(Head head, long version) throws IOException, InterruptedException {
    return new Snapshots(context()).all(head, version);
  }

  /** Hands on all entries of a plan, shard by shard. */
  public void entries(Planned plan, Planned.Entries entries)
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

  private InvalidConfig unrecorded() {
    return new InvalidConfig(
        "Nothing was ever committed to " + paths.root() + " by Repave: it has no versions.");
  }

  /** A context of its own for each commit, so that requests and milliseconds are its own. */
  private StepContext context() {
    Meter meter = new Meter(ports.clock(), ports.progress());
    return new StepContext(ports.with(new CountedStore(ports.store())), paths, settings, meter);
  }
}
