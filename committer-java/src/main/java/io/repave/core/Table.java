package io.repave.core;

import io.repave.core.commit.AdoptionPreview;
import io.repave.core.commit.AwaitEveryCommit;
import io.repave.core.commit.BeginTransaction;
import io.repave.core.commit.CancelCommit;
import io.repave.core.commit.DropPartitions;
import io.repave.core.commit.FolderSize;
import io.repave.core.commit.MetadataOnlyCommit;
import io.repave.core.commit.Recovery;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.conflict.AwaitUnfinishedCommits;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Meter;
import io.repave.core.engine.PartitionBound;
import io.repave.core.engine.Ports;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.TableContext;
import io.repave.core.error.FollowErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.follow.CatalogFollowing;
import io.repave.core.follow.Followers;
import io.repave.core.follow.LocationCatalog;
import io.repave.core.follow.Locations;
import io.repave.core.follow.StartFollowing;
import io.repave.core.follow.StopFollowing;
import io.repave.core.listing.DeletedHead;
import io.repave.core.listing.InnerTables;
import io.repave.core.record.CommitId;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.History;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.snapshot.RepairRecords;
import io.repave.core.snapshot.RepairReport;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.snapshot.VersionTimes;
import io.repave.core.store.Location;
import io.repave.core.vacuum.Vacuum;
import io.repave.core.vacuum.VacuumReport;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A table: the entry point for commits, maintenance and reading the records. */
public final class Table {
  /** The head may change again during each look. */
  private static final int LOOKS = 4;

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
   * Begins a job before its first task; the version of the head becomes the base for the conflict
   * check. Under {@code repave.conflict=fail}, an overwrite first waits for unfinished commits that
   * may touch what it replaces ({@link AwaitUnfinishedCommits}). So a driver that is started again
   * after a crash does not fail because of its dead predecessor. The first job also adopts the
   * files that already exist, if the table will be a snapshot table or its settings name followers.
   * Requests: 1 GET, and those of the commits that it finishes or awaits.
   */
  public WriteTransaction begin(CommitRequest request) throws IOException, InterruptedException {
    return new BeginTransaction(this::context).run(request);
  }

  /** Finishes every commit that a dead process left unfinished. */
  public List<RecoveredCommit> recover() throws IOException, InterruptedException {
    return new Recovery(this::context).run();
  }

  /** Makes the records name exactly the files in the table's folders. */
  public CommitResult adopt() throws IOException, InterruptedException {
    return new MetadataOnlyCommit(this::context).adopt();
  }

  /** What {@link #adopt} would do. Nothing is written. */
  public AdoptionPreview previewAdoption() throws IOException, InterruptedException {
    return new MetadataOnlyCommit(this::context).previewAdoption();
  }

  /**
   * Rebuilds the records from the files in the table's folders, when records of its history are
   * lost. No row changes, and no version is added.
   */
  public RepairReport repair() throws IOException, InterruptedException {
    return new RepairRecords(context()).run();
  }

  /** Reverts, or ends, an unfinished commit that recovery cannot finish. */
  public RecoveredCommit cancel(String commit) throws IOException, InterruptedException {
    return new CancelCommit(context()).run(commit);
  }

  /** Restores an earlier version: its files become the live files again. */
  public CommitResult rollback(long version) throws IOException, InterruptedException {
    return new MetadataOnlyCommit(this::context).rollback(version);
  }

  /** What some folders hold: the size of each that {@link #drop} would remove. */
  public List<FolderSize> sizes(List<String> folders) throws IOException, InterruptedException {
    return new DropPartitions(this::context).named(folders);
  }

  /** The same for the folders whose value of a partition column is before another. */
  public List<FolderSize> sizes(PartitionBound before) throws IOException, InterruptedException {
    return new DropPartitions(this::context).before(before);
  }

  /**
   * Removes whole partitions as one version. {@code batch} is the execution of a stream's batch
   * that drops them, or "".
   */
  public CommitResult drop(List<String> folders, String batch)
      throws IOException, InterruptedException {
    return new DropPartitions(this::context).run(folders, batch);
  }

  /** The current head; empty for a table without commits. */
  public Optional<Head> head() throws IOException, InterruptedException {
    return context().heads().read().head();
  }

  /**
   * Throws if the head of the table in this folder was deleted, as the records of a finished commit
   * show. Requests: 1 LIST, and 1 GET if there is such a commit.
   */
  public void requireHeadNotDeleted() throws IOException, InterruptedException {
    new DeletedHead(context()).requireNone();
  }

  /** The first table in a folder. Requests: 1 LIST for each page of keys up to its head. */
  public Optional<Location> firstIn(Location folder) throws IOException, InterruptedException {
    return new InnerTables(context()).first(folder);
  }

  /**
   * The answer from a head, or from a newer one of the same table. A vacuum that runs meanwhile may
   * delete records that the older head names and the newer one does not.
   */
  public <T> T answer(Head first, HeadQuestion<T> question)
      throws IOException, InterruptedException {
    Head head = first;
    for (int look = 1; ; look++) {
      try {
        return question.answer(head);
      } catch (InvalidRecordException e) {
        Optional<Head> now = head();
        boolean isNewer =
            now.isPresent()
                && now.get().tableId().equals(head.tableId())
                && !now.get().equals(head);
        if (look == LOOKS || !isNewer) {
          throw e;
        }
        head = now.get();
      }
    }
  }

  /**
   * At least {@code wanted} of the newest published commits, oldest first; fewer if the records
   * name fewer.
   */
  public List<LoggedCommit> history(int wanted) throws IOException, InterruptedException {
    Optional<Head> head = head();
    return head.isEmpty() ? List.of() : history(head.get(), wanted);
  }

  /** The same, up to the version of a head. */
  public List<LoggedCommit> history(Head head, int wanted)
      throws IOException, InterruptedException {
    return new History(context()).newest(head, wanted);
  }

  /** The newest version that was published at or before a moment. */
  public long versionAt(Head head, long millis) throws IOException, InterruptedException {
    return new VersionTimes(context()).at(head, millis);
  }

  /** What a commit added and removed; empty when it has no manifest yet. */
  public Optional<CommitManifest> manifest(CommitId id) throws IOException, InterruptedException {
    return CommitManifest.read(context(), id);
  }

  /** The live files of a version. */
  public Snapshot snapshot(Head head, long version) throws IOException, InterruptedException {
    return Snapshot.read(context(), head, version);
  }

  /** The live files of a version in the partitions that a footprint covers, as a stream. */
  public LiveFiles.Open liveFiles(Head head, long version, Footprint wanted)
      throws IOException, InterruptedException {
    return new LiveFiles(context()).covered(head, version, wanted);
  }

  /** Passes on all entries of a manifest, shard by shard. */
  public void entries(CommitManifest manifest, CommitManifest.Entries entries)
      throws IOException, InterruptedException {
    manifest.each(context(), entries);
  }

  /**
   * Switches a follower on and brings it to the table's version. A listing table, and one without
   * records, first adopts the files in its folders.
   */
  public List<Follower> follow(FollowerKind kind) throws IOException, InterruptedException {
    if (kind.isCatalog()) {
      throw FollowErrors.needsName(kind.label());
    }
    Optional<Head> head = head();
    boolean followed = head.flatMap(it -> it.follower(kind)).isPresent();
    if (!followed && head.map(Head::readers).orElse(Readers.LISTING) == Readers.LISTING) {
      adopt();
    }
    new StartFollowing(context()).run(kind);
    return new Followers(context()).sync();
  }

  /** Switches a follower off and deletes its pointer; false when the table did not have it. */
  public boolean unfollow(FollowerKind kind) throws IOException, InterruptedException {
    if (kind.isCatalog()) {
      return new CatalogFollowing(context()).stop(kind);
    }
    StopFollowing stop = new StopFollowing(context());
    boolean followed = stop.begin(kind);
    if (followed) {
      new AwaitEveryCommit(this::context).run();
      stop.end(kind);
    }
    return followed;
  }

  /**
   * Lets a table of a catalog follow this one; {@link #move} updates it. Refuses folders with files
   * that are not of the newest version: readers of the catalog would list them.
   */
  public void followBy(FollowerKind kind, String name) throws IOException, InterruptedException {
    new CatalogFollowing(context()).start(kind, name);
  }

  /** Lets a table of a catalog follow that was built again, or is another catalog's. */
  public void followAgainBy(FollowerKind kind, String name)
      throws IOException, InterruptedException {
    new CatalogFollowing(context()).startAgain(kind, name);
  }

  /** Updates the partition locations of a catalog that follows the table. */
  public Locations move(FollowerKind kind, LocationCatalog catalog)
      throws IOException, InterruptedException {
    return new CatalogFollowing(context()).run(kind, catalog);
  }

  /** The locations of the newest version, for a process with its own client of the catalog. */
  public Locations locations(FollowerKind kind, String name)
      throws IOException, InterruptedException {
    return new CatalogFollowing(context()).wanted(kind, name);
  }

  /** Records that a catalog has a version; returns the table's version. */
  public long moved(FollowerKind kind, String name, String id, long version)
      throws IOException, InterruptedException {
    return new CatalogFollowing(context()).moved(kind, name, id, version).version();
  }

  /**
   * Brings all followers to the table's version, except catalogs. Throws afterwards when one is
   * being switched off: nothing brings it forward any more.
   */
  public List<Follower> sync() throws IOException, InterruptedException {
    List<Follower> followers = new Followers(context()).sync();
    for (Follower each : followers) {
      if (each.ending()) {
        throw FollowErrors.notEnded(paths().root(), each.kind().label());
      }
    }
    return followers;
  }

  /** Deletes what is older than the retention and no longer needed. */
  public VacuumReport vacuum(long retentionMillis) throws IOException, InterruptedException {
    return new Vacuum(context(), retentionMillis).run();
  }

  /** Reports what {@link #vacuum} would delete. */
  public VacuumReport vacuumDryRun(long retentionMillis) throws IOException, InterruptedException {
    return new Vacuum(context(), retentionMillis).dryRun();
  }

  /** A new context for each operation, so that it counts its own requests and milliseconds. */
  private TableContext context() {
    Meter meter = new Meter(ports.clock(), ports.progress());
    return new TableContext(ports.with(new CountedStore(ports.store())), paths, settings, meter);
  }
}
