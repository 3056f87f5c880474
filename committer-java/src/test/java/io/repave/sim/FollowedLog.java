package io.repave.sim;

import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.store.Location;
import io.repave.testing.DeltaReplay;
import java.util.Set;
import java.util.TreeSet;

/** Checks the Delta log of a simulated table: what its readers see, at every moment and at rest. */
final class FollowedLog implements FollowedPointers.Pointer {
  private static final String CHECKPOINT = ".checkpoint.parquet";

  private final World world;
  private final Set<String> checked = new TreeSet<>();
  private DeltaReplay log;
  private long filesSeen;

  FollowedLog(World world) {
    this.world = world;
  }

  private Set<Location> files() {
    Location log = world.paths.deltaLog();
    Location end = new Location(log.bucket(), log.key() + "0");
    return world.store.objects().subMap(log, end).keySet();
  }

  @Override
  public FollowerKind kind() {
    return FollowerKind.DELTA;
  }

  @Override
  public void begin() {
    checked.clear();
    log = null;
    filesSeen = 0;
  }

  @Override
  public void during(Head head) {
    Follower follower = head.follower(FollowerKind.DELTA).orElseThrow();
    long now = files().size();
    if (now != filesSeen) {
      filesSeen = now;
      log = DeltaReplay.of(world.store, world.paths);
      whole(head, log.version() + follower.from());
    }
    if (log == null) {
      return;
    }
    checkpoints();
    if (world.notFollowed) {
      return;
    }
    for (String path : log.live()) {
      if (!world.store.objects().containsKey(world.paths.root().resolve(path))) {
        throw new Violation("DANGLING: the Delta log names a file that is deleted: " + path);
      }
    }
  }

  /** Every version of the log has the files of its version of the table. */
  private void whole(Head head, long version) {
    if (!log.isWhole()) {
      throw new Violation("GAP: the Delta log lacks a version before one that it has");
    }
    if (version > head.version()) {
      throw new Violation("AHEAD: the Delta log has a version that is not published");
    }
    Set<String> wanted = world.checker.liveAt(version);
    if (!log.live().equals(wanted)) {
      throw new Violation(
          "OTHER FILES in the Delta log of version "
              + version
              + ": "
              + log.live()
              + " for "
              + wanted);
    }
  }

  /** A checkpoint says what the versions up to it say, so readers may begin with it. */
  private void checkpoints() {
    for (Location at : files()) {
      if (at.key().endsWith(CHECKPOINT) && checked.add(at.key())) {
        String name = world.paths.deltaLog().relative(at);
        int number = Integer.parseInt(name.substring(0, name.length() - CHECKPOINT.length()));
        if (number > log.version()) {
          throw new Violation("CHECKPOINT AHEAD: the Delta log has no version " + number);
        }
        DeltaReplay found = DeltaReplay.ofCheckpoint(world.store.objects().get(at).content());
        Set<String> wanted = DeltaReplay.of(world.store, world.paths, number).live();
        if (!found.live().equals(wanted)) {
          throw new Violation("CHECKPOINT of " + number + ": " + found.live() + " for " + wanted);
        }
      }
    }
  }

  @Override
  public void atRest(Head head, Set<String> live) {
    DeltaReplay now = DeltaReplay.of(world.store, world.paths);
    Follower follower = head.follower(FollowerKind.DELTA).orElseThrow();
    if (now.version() + follower.from() != head.version()) {
      throw new Violation("BEHIND at rest: the Delta log is at " + now.version() + " of " + head);
    }
    if (!new TreeSet<>(now.live()).equals(new TreeSet<>(live))) {
      throw new Violation("OTHER ROWS: the Delta log names " + now.live() + ", live are " + live);
    }
  }
}
