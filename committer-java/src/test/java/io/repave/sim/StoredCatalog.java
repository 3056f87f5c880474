package io.repave.sim;

import io.repave.core.follow.LocationCatalog;
import io.repave.core.follow.Locations;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import io.repave.testing.MemoryObjectStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A catalog as one process sees it. Each partition is an object in a bucket of its own, so that the
 * calls of the catalog meet the same faults and switches of processes as those of the store. No
 * call has a condition, and each changes one partition: a real catalog promises more.
 */
class StoredCatalog implements LocationCatalog {
  /** Sorts before the bucket of the table, whose files the checker counts. */
  static final Location PLACE = new Location("catalog", "sales");

  private static final int BYTES_MAX = 1_000;

  private final ObjectStore store;

  StoredCatalog(ObjectStore store) {
    this.store = store;
  }

  /** The locations that the catalog has. */
  static Map<String, Location> locations(MemoryObjectStore store) {
    Map<String, Location> locations = new TreeMap<>();
    store
        .objects()
        .forEach(
            (at, held) -> {
              if (PLACE.holds(at)) {
                locations.put(PLACE.relative(at), parsed(held.content()));
              }
            });
    return locations;
  }

  private static Location parsed(byte[] content) {
    String[] parts = new String(content, StandardCharsets.UTF_8).split(" ", 2);
    return new Location(parts[0], parts[1]);
  }

  @Override
  public void move(String name, Locations wanted) throws StoreException {
    Set<String> gone = new TreeSet<>();
    ListPage known = store.list(PLACE, "");
    for (ListedObject each : known.objects()) {
      gone.add(each.key().substring(PLACE.prefix().length()));
    }
    for (Map.Entry<String, Location> each : wanted.folders().entrySet()) {
      Location at = PLACE.resolve(each.getKey());
      boolean has = gone.remove(each.getKey());
      Optional<StoredObject> before = has ? store.read(at, BYTES_MAX) : Optional.empty();
      if (before.map(it -> parsed(it.content())).filter(each.getValue()::equals).isEmpty()) {
        alter(at, each.getValue());
      }
    }
    for (String partition : gone) {
      drop(PLACE.resolve(partition));
    }
  }

  private void alter(Location at, Location folder) throws StoreException {
    String text = folder.bucket() + " " + folder.key();
    store.put(at, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  void drop(Location at) throws StoreException {
    if (!store.delete(List.of(at)).isEmpty()) {
      throw new StoreException(StoreException.Kind.UNKNOWN, "the catalog dropped nothing");
    }
  }
}
