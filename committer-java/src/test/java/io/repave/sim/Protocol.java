package io.repave.sim;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.EngineSettings;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.FollowerKind;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** What a simulated process runs: the engine, or a mutant that the checker must catch. */
interface Protocol {
  /** The engine as users run it. */
  Protocol REAL = new Protocol() {};

  /** True for an engine that users run, of this version or of an earlier one. */
  default boolean isEngine() {
    return this == REAL;
  }

  /**
   * True if some processes run version 0.1, which publishes without a time, takes lost races for an
   * outage, and reads the checkpoints of listing tables as complete lists of files.
   */
  default boolean includesVersion01() {
    return false;
  }

  /** True for a mutant that only an admin who aborts an upload shows. */
  default boolean needsAdmin() {
    return false;
  }

  /** A job that has begun. */
  interface Job {
    void commit(Ledger ledger) throws IOException, InterruptedException;

    void abort(Ledger ledger) throws IOException, InterruptedException;
  }

  /** The followers of a schedule's table. */
  default List<FollowerKind> followers(SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> List.of(FollowerKind.DELTA);
      case 1 -> List.of(FollowerKind.SYMLINK);
      case 2 -> List.of(FollowerKind.DELTA, FollowerKind.SYMLINK);
      case 3 ->
          random.nextBoolean()
              ? List.of(FollowerKind.METASTORE)
              : List.of(FollowerKind.DELTA, FollowerKind.METASTORE);
      default -> List.of();
    };
  }

  /** The followers that operators switch on during the schedule; one may be there twice. */
  default List<FollowerKind> switched(SplittableRandom random) {
    if (random.nextInt(4) > 0) {
      return List.of();
    }
    FollowerKind kind = random.nextBoolean() ? FollowerKind.DELTA : FollowerKind.SYMLINK;
    return random.nextBoolean() ? List.of(kind) : List.of(kind, kind);
  }

  /** Switches a follower on. */
  default void follow(World.Process process, FollowerKind kind)
      throws IOException, InterruptedException {
    process.table().follow(kind);
  }

  /** The names of a job's files. */
  default JobSpec named(JobSpec spec) {
    return spec;
  }

  /** The same job on a table that a catalog follows. */
  default JobSpec inCatalog(JobSpec spec) {
    return spec.inFolder();
  }

  /**
   * True when the tasks of a job on a snapshot table put their files at once. Readers of a catalog
   * list the folder of a commit, so only the commit makes files visible there.
   */
  default boolean putsDirectly(JobSpec spec) {
    return !spec.isInFolder();
  }

  default Job begin(World.Process process, EngineSettings settings, JobSpec spec)
      throws IOException, InterruptedException {
    WriteTransaction job = process.table(settings).begin(spec.request("_SUCCESS"));
    return new Job() {
      @Override
      public void commit(Ledger ledger) throws IOException, InterruptedException {
        job.commit(ledger);
      }

      @Override
      public void abort(Ledger ledger) throws IOException, InterruptedException {
        job.abort(ledger);
      }
    };
  }

  default void recover(World.Process process) throws IOException, InterruptedException {
    process.table().recover();
  }

  /** Moves the catalog, if one follows, after a commit or a recovery. */
  default void moveCatalog(World.Process process) throws IOException, InterruptedException {
    process.moveCatalog();
  }

  default void adopt(World.Process process) throws IOException, InterruptedException {
    process.table().adopt();
  }

  default void rollback(World.Process process, long version)
      throws IOException, InterruptedException {
    process.table().rollback(version);
  }

  /** The files that the records name as live at a version. */
  default Set<String> files(World.Process process, long version)
      throws IOException, InterruptedException {
    Table table = process.table();
    return World.files(table.snapshot(table.head().orElseThrow(), version));
  }

  default void vacuum(World.Process process, EngineSettings settings, long retention)
      throws IOException, InterruptedException {
    process.table(settings).vacuum(retention);
  }
}
