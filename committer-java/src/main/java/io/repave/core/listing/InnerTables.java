package io.repave.core.listing;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.TableContext;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tables nested in this table's folder. Their files belong to them: another head names them,
 * and a swap of this table's head does not keep their commits from being reserved.
 *
 * <p>Requests: 1 HEAD per folder above the given files that is not a partition, so none for a table
 * that has partitions only.
 */
public final class InnerTables {
  private final TableContext context;
  private final Map<Location, Boolean> known = new ConcurrentHashMap<>();

  public InnerTables(TableContext context) {
    this.context = context;
  }

  /** True when a nested table contains this place. */
  public boolean contain(Location at) throws IOException, InterruptedException {
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

  /** Passes on the files that are not in a nested table. */
  public FileSink without(FileSink sink) {
    return (partition, file) -> {
      if (!contain(context.paths().file(partition, file.name()))) {
        sink.file(partition, file);
      }
    };
  }

  private boolean isTable(Location folder) throws IOException, InterruptedException {
    Boolean before = known.get(folder);
    if (before == null) {
      Location head = new TablePaths(folder).head();
      before = context.records().find(head).isPresent();
      known.put(folder, before);
    }
    return before;
  }
}
