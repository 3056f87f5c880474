package io.repave.sim;

import io.repave.core.record.Head;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import java.util.HashMap;
import java.util.Map;

/** Takes every checkpoint of a version for the one that this process saw first. */
final class CheckpointAlias {
  private final Map<Long, String> firstSeen = new HashMap<>();

  ObjectStore over(ObjectStore store, Location head) {
    return new HeadRewriter(store, head, this::read, this::written);
  }

  private Head read(Head now) {
    String first = firstSeen.computeIfAbsent(now.checkpointVersion(), at -> now.checkpoint());
    return now.change().checkpoint(now.checkpointVersion(), first).done();
  }

  /** A head that names no new checkpoint keeps the one that is there. */
  private Head written(Head last, Head next) {
    boolean same = next.checkpoint().equals(firstSeen.get(last.checkpointVersion()));
    return same
        ? next.change().checkpoint(last.checkpointVersion(), last.checkpoint()).done()
        : next;
  }
}
