package io.repave.core.follow;

import io.repave.core.engine.DispensableWork;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.DeltaLogErrors;
import io.repave.core.error.FollowErrors;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Brings the followers of a table to the version of a head, except catalogs: {@link
 * CatalogFollowing} does that.
 */
public final class Followers {
  /**
   * Commits leave a follower that is further behind to a sync, but for one of so many, which tries
   * all the same. A follower that has stopped would take longer with each commit, and the commit's
   * old files wait until then, and so do jobs that write to the same folders.
   */
  static final long VERSIONS_MOST = 200;

  private final TableContext context;

  public Followers(TableContext context) {
    this.context = context;
  }

  /**
   * Follows the commit with this manifest; returns the followers that went forward. A follower that
   * fails is reported, and stays where it is.
   */
  public List<Follower> follow(Head head, CommitManifest manifest) throws InterruptedException {
    List<Follower> forward = new ArrayList<>();
    for (Follower follower : working(head)) {
      long behind = head.version() - follower.followed();
      if (isLeft(head, follower, behind)) {
        report(follower, FollowErrors.farBehind(context.paths().root(), behind));
        continue;
      }
      try {
        forward.add(brought(head, follower, Optional.of(manifest)));
      } catch (IOException e) {
        report(follower, FollowErrors.triedAgain(e));
      }
    }
    return forward;
  }

  private void report(Follower follower, String why) {
    context.ports().progress().notFollowed(follower.kind().label(), why);
  }

  /** Whether it is so far behind that this commit leaves it to a sync. */
  private static boolean isLeft(Head head, Follower follower, long behind) {
    // No file has named its columns yet, so there is no log to write.
    boolean isEmpty = follower.kind() == FollowerKind.DELTA && follower.next() == 0;
    return behind > VERSIONS_MOST && head.version() % VERSIONS_MOST != 0 && !isEmpty;
  }

  /**
   * Writes the checkpoints that are due since a head, from which these followers went forward. One
   * that cannot be written is reported; the next one that is due replaces it.
   */
  public void checkpoint(Head head, List<Follower> forward) throws InterruptedException {
    int every = context.settings().deltaCheckpointEvery();
    for (Follower follower : withCheckpoints(forward)) {
      long before = head.follower(follower.kind()).map(Follower::followed).orElse(head.version());
      Optional<Long> due = DeltaCheckpoint.due(follower, before, every);
      if (due.isPresent()) {
        try {
          write(new DeltaCheckpoint(context, head, follower), due.get());
        } catch (IOException e) {
          context.ports().progress().noCheckpoint(e.getMessage());
        }
      }
    }
  }

  /** Writes a checkpoint that is missing. */
  private void checkpoint(Head head, Follower follower) throws IOException, InterruptedException {
    Optional<Long> due =
        DeltaCheckpoint.due(follower, 0, context.settings().deltaCheckpointEvery());
    if (due.isPresent() && DeltaCheckpoint.lastCheckpoint(context) < due.get() - follower.from()) {
      try {
        write(new DeltaCheckpoint(context, head, follower), follower.followed());
      } catch (IOException e) {
        throw DeltaLogErrors.noCheckpoint(context.paths().root(), e);
      }
    }
  }

  /**
   * Brings every follower to the version of the head. Throws when one cannot be brought there; the
   * others are.
   */
  public List<Follower> sync() throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    Head head = seen.existing(context.paths().root());
    List<Follower> forward = new ArrayList<>();
    IOException failure = null;
    for (Follower follower : working(head)) {
      try {
        forward.add(brought(head, follower, Optional.empty()));
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    Head now = record(seen, forward);
    for (Follower follower : withCheckpoints(forward)) {
      try {
        checkpoint(now, follower);
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return now.followers();
  }

  private static List<Follower> withCheckpoints(List<Follower> followers) {
    return followers.stream().filter(it -> it.kind() == FollowerKind.DELTA).toList();
  }

  private static List<Follower> working(Head head) {
    return head.followers().stream().filter(it -> !it.ending() && !it.kind().isCatalog()).toList();
  }

  /** Writes into the head how far the followers are. */
  private Head record(VersionedHead seen, List<Follower> forward)
      throws IOException, InterruptedException {
    return context
        .heads()
        .update(
            seen,
            now ->
                now.filter(head -> !seen.isDropped(now))
                    .filter(head -> !head.following(forward).equals(head))
                    .map(head -> head.following(forward)))
        .existing(context.paths().root());
  }

  private Follower brought(Head head, Follower follower, Optional<CommitManifest> own)
      throws IOException, InterruptedException {
    return DispensableWork.run(
        () ->
            switch (follower.kind()) {
              case DELTA -> new DeltaLog(context, head, follower, own).follow();
              case SYMLINK -> new SymlinkManifests(context, head, follower, own).follow();
              case METASTORE, GLUE -> follower;
            });
  }

  private static void write(DeltaCheckpoint checkpoint, long version)
      throws IOException, InterruptedException {
    DispensableWork.run(
        () -> {
          checkpoint.write(version);
          return version;
        });
  }
}
