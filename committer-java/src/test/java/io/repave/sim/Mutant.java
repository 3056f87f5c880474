package io.repave.sim;

import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.testing.CommitNames;
import io.repave.testing.EngineSettingsDraft;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Broken protocols, built from the steps of the real one. Each mutant is a mistake that has lost
 * rows somewhere. The checker must catch all of them.
 */
enum Mutant implements Protocol {
  /** No mutant: the right steps in the right order, built from the same parts as the mutants. */
  CONTROL,
  /** Deletes the old files before the new ones are completed: S3A's partitioned replace. */
  RETIRES_FIRST,
  /** A recoverer rolls a reserved commit back: it aborts the uploads and deletes the files. */
  ROLLS_BACK_BY_ABORT,
  /** After a reservation without an answer it reads the head, and trusts what it reads. */
  DOES_NOT_FENCE,
  /** Treats a reservation without an answer as failed. */
  TREATS_UNKNOWN_AS_FAILED,
  /** Reserves although an overlapping commit is unfinished. */
  DOES_NOT_WAIT,
  /** Reserves however large the head is. Only a crowd shows it. */
  IGNORES_HEAD_SPACE,
  /** Aborts its uploads whenever Spark asks, even after the reservation. */
  ABORTS_UNCONDITIONALLY,
  /** Two commits give their files the same names. */
  REUSES_NAMES,
  /** Lists the files to replace before the reservation. */
  LISTS_EARLY,
  /** Publishes the version before the uploads are completed. */
  PUBLISHES_FIRST,
  /** Publishes with the time of its own clock, which may be behind that of an earlier commit. */
  PUBLISHES_BY_ITS_CLOCK,
  /** Reverts without recording the revert in the head first. */
  REVERTS_UNRECORDED,
  /** Reverts by aborting uploads, as if an abort stopped a Complete that is under way. */
  REVERTS_BY_ABORT,
  /** Reverts without waiting for requests that are still under way. */
  REVERTS_WITHOUT_DRAIN,
  /** Deletes the old files before the Delta log is brought to the new version. */
  FOLLOWS_AFTER_RETIRE,
  /** Adds its version to the Delta log at the next free number, and replaces what is there. */
  FOLLOWS_WITHOUT_CONDITION,
  /** Records its own version as the follower's, even when that one is further. */
  FOLLOWS_BACKWARDS,
  /** Deletes the old files before the symlink manifests are brought to the new version. */
  SYMLINKS_AFTER_RETIRE,
  /** Writes symlink manifests over whatever is there. */
  SYMLINKS_WITHOUT_CONDITION,
  /** Records its own version as that of the symlink follower, even when that one is further. */
  SYMLINKS_BACKWARDS,
  /** Writes every list into the first file of its folder, on the condition of its etag. */
  SYMLINKS_IN_PLACE,
  /** Writes the files of the newest version as the checkpoint of its own. */
  CHECKPOINTS_NEWEST,
  /** Writes the checkpoint of a version of the Delta log before the version itself. */
  CHECKPOINTS_BEFORE_FOLLOW,
  /** Adopts the files of appends that are not published. */
  ADOPTS_UNPUBLISHED,
  /** Begins a Delta log with the version before that of the head. */
  BEGINS_BEFORE_THE_HEAD,
  /** Writes into the partitions' own folders while a catalog names those of commits. */
  CATALOG_WITH_PLAIN_FOLDERS,
  /** Tasks put files into the folders that a catalog will name, also in attempts that are lost. */
  CATALOG_WITH_DIRECT_PUTS,
  /** Says in the head that the catalog has a version before it has. */
  CATALOG_AFTER_HEAD,
  /** Moves the catalog once, although the head has gone on meanwhile. */
  CATALOG_MOVED_ONCE,
  /** Records its own version as the catalog's, even when that one is further. */
  CATALOG_BACKWARDS,
  /** Appends to a new partition although another append to it is unfinished. */
  CATALOG_APPENDS_TOGETHER,
  /** Leaves partitions in the catalog that have no files any more. */
  CATALOG_KEEPS_PARTITIONS;

  @Override
  public List<FollowerKind> followers(SplittableRandom random) {
    return switch (this) {
      case FOLLOWS_AFTER_RETIRE,
              FOLLOWS_WITHOUT_CONDITION,
              FOLLOWS_BACKWARDS,
              CHECKPOINTS_NEWEST,
              CHECKPOINTS_BEFORE_FOLLOW ->
          List.of(FollowerKind.DELTA);
      case SYMLINKS_AFTER_RETIRE,
              SYMLINKS_WITHOUT_CONDITION,
              SYMLINKS_BACKWARDS,
              SYMLINKS_IN_PLACE ->
          List.of(FollowerKind.SYMLINK);
      case CATALOG_WITH_PLAIN_FOLDERS,
              CATALOG_WITH_DIRECT_PUTS,
              CATALOG_AFTER_HEAD,
              CATALOG_MOVED_ONCE,
              CATALOG_BACKWARDS,
              CATALOG_APPENDS_TOGETHER,
              CATALOG_KEEPS_PARTITIONS ->
          List.of(FollowerKind.METASTORE);
      case CONTROL -> Protocol.REAL.followers(random);
      default -> List.of();
    };
  }

  @Override
  public boolean needsAdmin() {
    return this == REVERTS_WITHOUT_DRAIN;
  }

  @Override
  public List<FollowerKind> switched(SplittableRandom random) {
    return switch (this) {
      case ADOPTS_UNPUBLISHED, BEGINS_BEFORE_THE_HEAD -> List.of(FollowerKind.DELTA);
      case CONTROL -> Protocol.REAL.switched(random);
      default -> List.of();
    };
  }

  @Override
  public void follow(World.Process process, FollowerKind kind)
      throws IOException, InterruptedException {
    switch (this) {
      case ADOPTS_UNPUBLISHED -> UnsafeStart.blindToAppends(process).follow(kind);
      case BEGINS_BEFORE_THE_HEAD -> UnsafeStart.beforeTheHead(process).follow(kind);
      default -> Protocol.REAL.follow(process, kind);
    }
  }

  @Override
  public JobSpec named(JobSpec spec) {
    if (this != REUSES_NAMES) {
      return spec;
    }
    String all =
        Stream.of("commit-aaaa", "commit-bbbb", "commit-cccc")
            .map(CommitNames::id)
            .collect(Collectors.joining("-"));
    List<String> files = new ArrayList<>();
    for (String file : spec.files()) {
      String folder = JobSpec.folder(file);
      files.add(folder + "/part-00000-" + all + "-1.parquet");
    }
    return new JobSpec(
        spec.commit(),
        spec.kind(),
        spec.token(),
        spec.application(),
        spec.attempts(),
        List.copyOf(new TreeSet<>(files)));
  }

  @Override
  public JobSpec inCatalog(JobSpec spec) {
    return this == CATALOG_WITH_PLAIN_FOLDERS ? spec : Protocol.REAL.inCatalog(spec);
  }

  @Override
  public boolean putsDirectly(JobSpec spec) {
    return this == CATALOG_WITH_DIRECT_PUTS || Protocol.REAL.putsDirectly(spec);
  }

  @Override
  public void moveCatalog(World.Process process) throws IOException, InterruptedException {
    switch (this) {
      case CATALOG_AFTER_HEAD -> new UnsafeCatalog(process).afterHead();
      case CATALOG_MOVED_ONCE -> new UnsafeCatalog(process).once();
      case CATALOG_BACKWARDS -> new UnsafeCatalog(process).backwards();
      case CATALOG_KEEPS_PARTITIONS -> new UnsafeCatalog(process).keepingPartitions();
      default -> process.moveCatalog();
    }
  }

  private EngineSettings altered(EngineSettings settings) {
    if (this != REVERTS_WITHOUT_DRAIN) {
      return settings;
    }
    return EngineSettingsDraft.of(settings).drainMillis(0).done();
  }

  @Override
  public Job begin(World.Process process, EngineSettings settings, JobSpec spec)
      throws IOException, InterruptedException {
    if (this == REVERTS_WITHOUT_DRAIN || this == REUSES_NAMES) {
      return Protocol.REAL.begin(process, altered(settings), spec);
    }
    boolean blind = this == CATALOG_APPENDS_TOGETHER && spec.kind() == CommitKind.APPEND;
    World.Process own = blind ? UnsafeCatalog.blindToAppends(process) : process;
    TableContext context = own.context(settings);
    VersionedHead seen = context.heads().read();
    return new MutantJob(this, context, spec, seen);
  }

  @Override
  public void recover(World.Process process) throws IOException, InterruptedException {
    switch (this) {
      case ROLLS_BACK_BY_ABORT, REVERTS_UNRECORDED, REVERTS_BY_ABORT -> {
        TableContext context = process.context(World.settings(process.world().readers));
        VersionedHead seen = context.heads().read();
        for (ActiveCommit commit : seen.head().map(Head::active).orElse(List.of())) {
          if (commit.state() == CommitState.PENDING) {
            recover(context, commit, seen);
          }
        }
      }
      case REVERTS_WITHOUT_DRAIN ->
          process.table(altered(World.settings(process.world().readers))).recover();
      default -> Protocol.REAL.recover(process);
    }
  }

  private void recover(TableContext context, ActiveCommit commit, VersionedHead seen)
      throws IOException, InterruptedException {
    StoredLedger ledger = StoredLedger.open(context, commit.id(), commit.kind());
    UnsafeRevert back = new UnsafeRevert(context);
    if (this == ROLLS_BACK_BY_ABORT) {
      back.abortAndDelete(ledger);
      back.forget(commit.id(), seen);
    } else if (back.lost(ledger)) {
      revert(context, ledger.index(), ledger, seen);
    } else {
      MutantJob.forward(this, context, ledger.index(), ledger, seen);
    }
  }

  /** Reverts in a wrong way, once a file is lost for good. */
  void revert(TableContext context, LedgerIndex index, Ledger ledger, VersionedHead seen)
      throws IOException, InterruptedException {
    UnsafeRevert back = new UnsafeRevert(context);
    if (this == REVERTS_UNRECORDED) {
      back.completeAndDelete(ledger);
      back.forget(index.id(), seen);
    } else {
      VersionedHead reverting = back.sayReverting(index.id(), seen);
      back.abortAndDelete(ledger);
      back.forget(index.id(), reverting);
    }
    throw new CommitFailedException("reverted");
  }
}
