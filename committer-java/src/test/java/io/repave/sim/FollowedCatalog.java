package io.repave.sim;

import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.store.Location;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Checks the catalog of a simulated table: what a reader lists in the location of a partition. */
final class FollowedCatalog implements FollowedPointers.Pointer {
  private final World world;

  /** The files of each partition in each version, by partition. */
  private final Map<String, Set<Set<String>>> versions = new HashMap<>();

  private Set<String> livesSeen;

  /** The locations of each version that has one folder for each partition. */
  private final SortedMap<Long, Map<String, Location>> wanted = new TreeMap<>();

  /** Where the catalog ever had each partition; empty when it did not have it. */
  private final Map<String, Set<Optional<Location>>> had = new TreeMap<>();

  FollowedCatalog(World world) {
    this.world = world;
  }

  @Override
  public FollowerKind kind() {
    return FollowerKind.METASTORE;
  }

  @Override
  public void during(Head head) {
    know(head);
    Map<String, Location> locations = StoredCatalog.locations(world.store);
    for (Map.Entry<String, Location> each : locations.entrySet()) {
      Set<String> listed = listed(each.getValue());
      if (!versions.getOrDefault(each.getKey(), Set.of()).contains(listed)) {
        throw new Violation(
            "OTHER ROWS: " + each + " shows what the partition never had: " + listed);
      }
    }
    for (String partition : versions.keySet()) {
      had.computeIfAbsent(partition, it -> new HashSet<>())
          .add(Optional.ofNullable(locations.get(partition)));
    }
    requireReached(head.follower(FollowerKind.METASTORE).orElseThrow());
  }

  /** A slower process may have moved a partition back by then; it finds the newer head. */
  private void requireReached(Follower follower) {
    if (follower.begins()) {
      return;
    }
    for (Map.Entry<String, Set<Optional<Location>>> each : had.entrySet()) {
      boolean reached =
          wanted.tailMap(follower.followed()).values().stream()
              .map(folders -> Optional.ofNullable(folders.get(each.getKey())))
              .anyMatch(each.getValue()::contains);
      if (!reached) {
        throw new Violation("AHEAD: the head says " + follower + ", but " + each.getKey());
      }
    }
  }

  private void know(Head head) {
    Set<String> live = world.checker.modelled();
    if (live == livesSeen) {
      return;
    }
    livesSeen = live;
    Map<String, Set<String>> files = new TreeMap<>();
    Map<String, Location> folders = new TreeMap<>();
    for (String key : live) {
      String partition = JobSpec.folder(key);
      files.computeIfAbsent(partition, it -> new TreeSet<>()).add(key);
      folders.put(partition, world.paths.root().resolve(folder(key)));
    }
    files.forEach(
        (partition, all) -> versions.computeIfAbsent(partition, it -> new HashSet<>()).add(all));
    if (!isDivided(live)) {
      wanted.put(head.version(), folders);
    }
  }

  /** True when the files of a partition are in more than one folder. */
  static boolean isDivided(Set<String> live) {
    Map<String, String> folders = new HashMap<>();
    return live.stream()
        .anyMatch(
            key ->
                !folders
                    .computeIfAbsent(JobSpec.folder(key), it -> folder(key))
                    .equals(folder(key)));
  }

  private static String folder(String key) {
    return key.substring(0, key.lastIndexOf('/'));
  }

  /** What an engine reads that lists one folder, without those inside it. */
  private Set<String> listed(Location folder) {
    Set<String> files = new TreeSet<>();
    for (Location at : world.store.objects().tailMap(folder.resolve("")).keySet()) {
      if (folder.holds(at) && folder.relative(at).indexOf('/') < 0) {
        files.add(world.paths.root().relative(at));
      } else if (!at.equals(folder) && !folder.holds(at)) {
        break;
      }
    }
    return files;
  }

  @Override
  public void atRest(Head head, Set<String> live) {
    if (world.catalogMissed) {
      return;
    }
    Set<String> shown = new TreeSet<>();
    StoredCatalog.locations(world.store).values().forEach(folder -> shown.addAll(listed(folder)));
    if (!shown.equals(new TreeSet<>(live))) {
      throw new Violation("OTHER ROWS: the catalog shows " + shown + ", live are " + live);
    }
  }
}
