package io.repave.sim;

import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks the followers of a simulated table: what is true of every kind, and of each pointer. */
final class FollowedPointers {
  /** What the readers of one kind of follower see. */
  interface Pointer {
    FollowerKind kind();

    /** Forgets an earlier follower of the kind. */
    default void begin() {}

    /** What must hold after every call. */
    void during(Head head);

    /** What must hold when every commit is finished and no follower failed. */
    void atRest(Head head, Set<String> live);
  }

  private final World world;
  private final List<Pointer> pointers;
  private final Map<String, Long> nextSeen = new HashMap<>();

  FollowedPointers(World world) {
    this.world = world;
    this.pointers =
        List.of(new FollowedLog(world), new FollowedSymlinks(world), new FollowedCatalog(world));
  }

  /** {@code head} may be null. */
  void during(Head head) {
    for (Pointer pointer : pointers) {
      Optional<Follower> follower = follower(head, pointer);
      if (follower.isPresent()) {
        requireForward(pointer, follower.get());
        pointer.during(head);
      }
    }
  }

  /** One that ends is being deleted, and readers are not promised anything. */
  private static Optional<Follower> follower(Head head, Pointer pointer) {
    return Optional.ofNullable(head)
        .flatMap(it -> it.follower(pointer.kind()))
        .filter(it -> !it.ending());
  }

  private void requireForward(Pointer pointer, Follower follower) {
    Long before = nextSeen.put(follower.id(), follower.next());
    if (before == null) {
      pointer.begin();
    } else if (follower.next() < before) {
      throw new Violation("BACKWARDS: the follower was at " + before + ", now " + follower);
    }
  }

  void atRest(Head head, Set<String> live) {
    for (Pointer pointer : pointers) {
      if (!world.notFollowed && follower(head, pointer).isPresent()) {
        pointer.atRest(head, live);
      }
    }
  }
}
