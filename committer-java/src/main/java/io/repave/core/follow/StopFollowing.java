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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Switches a follower off and deletes its pointer, because nobody would bring it forward any more:
 * its readers would see old rows, or look for deleted files.
 *
 * <p>Requests: 1 GET, 2 PUT If-Match, 2 LISTs, bulk deletes. If the process dies here: the head
 * says that the follower ends, and the same command continues.
 */
public final class StopFollowing {
  private final TableContext context;

  public StopFollowing(TableContext context) {
    this.context = context;
  }

  /** Returns false when the table did not have this follower. */
  public boolean run(FollowerKind kind) throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    Optional<Follower> follower = seen.head().flatMap(head -> head.follower(kind));
    if (follower.isEmpty()) {
      return false;
    }
    String id = follower.get().id();
    VersionedHead ending = change(seen, id, it -> Optional.of(it.end()));
    delete(id);
    change(ending, id, it -> Optional.empty());
    return true;
  }

  /** The files of the pointer and its states. A commit that is under way may still write one. */
  private void delete(String id) throws IOException, InterruptedException {
    List<Location> keys = new ArrayList<>();
    Location log = context.paths().deltaLog();
    new OrderedListing(context, log)
        .each(object -> keys.add(new Location(log.bucket(), object.key())));
    Location states = context.paths().followers();
    new OrderedListing(context, states)
        .each(
            object -> {
              if (object.key().startsWith(states.prefix() + id)) {
                keys.add(new Location(states.bucket(), object.key()));
              }
            });
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
