package io.repave.sim;

import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.store.Location;
import io.repave.testing.HeldObject;
import io.repave.testing.SymlinkReplay;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Checks the symlink manifests of a simulated table. */
final class FollowedSymlinks implements FollowedPointers.Pointer {
  private final World world;
  private final Map<Location, HeldObject> seen = new HashMap<>();
  private final Map<Location, List<String>> contents = new HashMap<>();

  FollowedSymlinks(World world) {
    this.world = world;
  }

  @Override
  public FollowerKind kind() {
    return FollowerKind.SYMLINK;
  }

  @Override
  public void begin() {
    seen.clear();
    contents.clear();
  }

  @Override
  public void during(Head head) {
    for (Map.Entry<Location, HeldObject> file :
        SymlinkReplay.files(world.store, world.paths).entrySet()) {
      if (seen.put(file.getKey(), file.getValue()) != file.getValue()) {
        requireNew(file.getKey(), file.getValue());
      }
    }
    if (world.notFollowed) {
      return;
    }
    for (String path : SymlinkReplay.live(world.store, world.paths)) {
      if (!world.store.objects().containsKey(world.paths.root().resolve(path))) {
        throw new Violation("DANGLING: a symlink manifest names a deleted file: " + path);
      }
      if (!world.checker.isPublished(path)) {
        throw new Violation("AHEAD: a symlink manifest names an unpublished file: " + path);
      }
    }
  }

  /** What a file had before must not come back: a late write could go on from there. */
  private void requireNew(Location at, HeldObject file) {
    List<String> before = contents.computeIfAbsent(at, key -> new ArrayList<>());
    String now = SymlinkReplay.text(file);
    boolean same = !before.isEmpty() && before.get(before.size() - 1).equals(now);
    if (!same && before.contains(now)) {
      throw new Violation("RETURNED: " + at + " has again: " + now + ", after " + before);
    }
    before.add(now);
  }

  @Override
  public void atRest(Head head, Set<String> live) {
    List<String> named = new ArrayList<>(SymlinkReplay.live(world.store, world.paths));
    named.sort(null);
    if (!named.equals(new ArrayList<>(new TreeSet<>(live)))) {
      throw new Violation("OTHER ROWS: the manifests name " + named + ", live are " + live);
    }
  }
}
