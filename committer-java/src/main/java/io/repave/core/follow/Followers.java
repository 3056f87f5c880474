package io.repave.core.follow;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.UsageErrors;
import io.repave.core.record.Follower;
import io.repave.core.record.Head;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Brings the followers of a table to the version of a head. */
public final class Followers {
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
      try {
        forward.add(brought(head, follower, Optional.of(manifest)));
      } catch (IOException e) {
        context.ports().progress().notFollowed(follower.kind().label(), e.getMessage());
      }
    }
    return forward;
  }

  /**
   * Brings every follower to the version of the head. Throws when one cannot be brought there; the
   * others are.
   */
  public List<Follower> sync() throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    Head head = seen.head().orElseThrow(() -> UsageErrors.noVersions(context.paths().root()));
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
    if (failure != null) {
      throw failure;
    }
    return now.followers();
  }

  private static List<Follower> working(Head head) {
    return head.followers().stream().filter(it -> !it.ending()).toList();
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
        .head()
        .orElseThrow(() -> UsageErrors.noVersions(context.paths().root()));
  }

  private Follower brought(Head head, Follower follower, Optional<CommitManifest> own)
      throws IOException, InterruptedException {
    return switch (follower.kind()) {
      case DELTA -> new DeltaLog(context, head, follower, own).follow();
    };
  }
}
