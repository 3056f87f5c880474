package io.repave.core.follow;

import io.repave.core.engine.FileDeletion;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.listing.OrderedListing;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Switches a follower off and deletes its pointer, because nobody would bring it forward any more:
 * its readers would see old rows, or look for deleted files.
 *
 * <p>Requests: 2 GETs, 2 PUT If-Match, 2 LISTs, bulk deletes. If the process dies here: the head
 * says that the follower ends, and the same command continues.
 */
public final class StopFollowing {
  private final TableContext context;

  public StopFollowing(TableContext context) {
    this.context = context;
  }

  /** First the head says that the follower ends; false when the table does not have it. */
  public boolean begin(FollowerKind kind) throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    Head head = seen.existing(context.paths().root());
    Optional<Follower> follower = head.follower(kind);
    if (follower.isPresent()) {
      change(seen, follower.get().id(), it -> Optional.of(it.end()));
    }
    return follower.isPresent();
  }

  /**
   * Then, after the commits that were unfinished in that head, the pointer is deleted: such a
   * commit may still have updated it.
   */
  public void end(FollowerKind kind) throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    Optional<Follower> ending =
        seen.head().flatMap(head -> head.follower(kind)).filter(Follower::ending);
    if (ending.isPresent()) {
      delete(ending.get());
      change(seen, ending.get().id(), it -> Optional.empty());
    }
  }

  /** The files of the pointer and its states. */
  private void delete(Follower follower) throws IOException, InterruptedException {
    Location pointer = context.paths().pointer(follower.kind());
    List<Location> keys = new OrderedListing(context, pointer).locations();
    Location states = context.paths().followers();
    for (Location state : new OrderedListing(context, states).locations()) {
      if (states.relative(state).startsWith(follower.id())) {
        keys.add(state);
      }
    }
    FileDeletion.deleteAll(context, keys, count -> {});
  }

  private VersionedHead change(
      VersionedHead seen, String id, Function<Follower, Optional<Follower>> change)
      throws IOException, InterruptedException {
    return context.heads().update(seen, now -> now.flatMap(head -> changed(head, id, change)));
  }

  private static Optional<Head> changed(
      Head head, String id, Function<Follower, Optional<Follower>> change) {
    List<Follower> followers =
        head.followers().stream()
            .flatMap(it -> (it.id().equals(id) ? change.apply(it) : Optional.of(it)).stream())
            .toList();
    return Optional.of(followers)
        .filter(now -> !now.equals(head.followers()))
        .map(now -> head.change().followers(now).done());
  }
}
