package io.repave.testing;

import io.repave.core.follow.LocationCatalog;
import io.repave.core.follow.Locations;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A catalog in memory that alters one partition after the other. */
public final class FakeCatalog implements LocationCatalog {
  private final Map<String, Location> locations = new TreeMap<>();
  private Unchecked.Action first = () -> {};
  private int callsLeft = Integer.MAX_VALUE;

  public Map<String, Location> locations() {
    return Map.copyOf(locations);
  }

  /** Runs an action between a process's look at the table and its first change of the catalog. */
  public void beforeNextMove(Unchecked.Action action) {
    first = action;
  }

  /** Lets the process die after so many changes. */
  public void dieAfter(int calls) {
    callsLeft = calls;
  }

  @Override
  public void move(String name, Locations wanted) throws IOException {
    Unchecked.Action action = first;
    first = () -> {};
    Unchecked.run(action);
    for (Map.Entry<String, Location> each : wanted.folders().entrySet()) {
      if (!each.getValue().equals(locations.get(each.getKey()))) {
        call();
        locations.put(each.getKey(), each.getValue());
      }
    }
    for (String partition : List.copyOf(locations.keySet())) {
      if (!wanted.folders().containsKey(partition)) {
        call();
        locations.remove(partition);
      }
    }
  }

  private void call() throws IOException {
    if (callsLeft-- == 0) {
      callsLeft = Integer.MAX_VALUE;
      throw new IOException("the process died");
    }
  }

  /** What readers of the catalog list, each file as {@code partition/commit}. */
  public List<String> files(TestTable table) {
    List<String> files = new ArrayList<>();
    locations.forEach(
        (partition, folder) -> {
          for (Location at : table.store.objects().keySet()) {
            boolean inside = at.key().startsWith(folder.prefix());
            if (inside && at.key().indexOf('/', folder.prefix().length()) < 0) {
              files.add(TestTable.writer(table.paths.root().relative(at)));
            }
          }
        });
    return files;
  }
}
