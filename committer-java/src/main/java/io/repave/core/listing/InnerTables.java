package io.repave.core.listing;

import io.repave.core.engine.TableContext;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tables whose folders lie inside this table's. What is in them is theirs: a file of theirs is
 * named by another head, and no swap of ours keeps their commits from being reserved.
 *
 * <p>Requests: 1 HEAD for each folder around the files asked about that is no partition, so none
 * for a table of partitions alone.
 */
public final class InnerTables {
  private final TableContext context;
  private final Map<Location, Boolean> known = new ConcurrentHashMap<>();

  public InnerTables(TableContext context) {
    this.context = context;
  }

  /** True when one of them holds this place below the table. */
  public boolean hold(Location at) throws IOException, InterruptedException {
    Location root = context.paths().root();
    String path = root.relative(at);
    for (int slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      Location folder = root.resolve(path.substring(0, slash));
      if (TablePaths.of(folder).root().equals(folder) && isTable(folder)) {
        return true;
      }
    }
    return false;
  }

  private boolean isTable(Location folder) throws IOException, InterruptedException {
    Boolean before = known.get(folder);
    if (before == null) {
      Location head = new TablePaths(folder).head();
      before = context.retry().known(() -> context.store().head(head)).isPresent();
      known.put(folder, before);
    }
    return before;
  }
}
