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

    /** What must hold after every call. */
    void during(Head head);

    /** What must hold when every commit is finished and no follower failed. */
    void atRest(Head head, Set<String> live);
  }

  private final World world;
  private final List<Pointer> pointers;
  private final Map<FollowerKind, Long> nextSeen = new HashMap<>();

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
        requireForward(follower.get());
        pointer.during(head);
      }
    }
  }

  private static Optional<Follower> follower(Head head, Pointer pointer) {
    return Optional.ofNullable(head).flatMap(it -> it.follower(pointer.kind()));
  }

  private void requireForward(Follower follower) {
    long before = nextSeen.getOrDefault(follower.kind(), 0L);
    if (follower.next() < before) {
      throw new Violation("BACKWARDS: the follower was at " + before + ", now " + follower);
    }
    nextSeen.put(follower.kind(), follower.next());
  }

  void atRest(Head head, Set<String> live) {
    for (Pointer pointer : pointers) {
      if (!world.notFollowed && follower(head, pointer).isPresent()) {
        pointer.atRest(head, live);
      }
    }
  }
}
