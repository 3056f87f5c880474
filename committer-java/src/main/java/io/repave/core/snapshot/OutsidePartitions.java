package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.UsageErrors;
import io.repave.core.record.RecordNames;
import io.repave.core.store.Location;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Some partitions outside a table's folder. They are in memory, so there is a limit. */
public final class OutsidePartitions {
  private static final int MOST = 100_000;

  private final TableContext context;
  private final int most;
  private final Set<Location> folders = ConcurrentHashMap.newKeySet();

  public OutsidePartitions(TableContext context) {
    this(context, MOST);
  }

  OutsidePartitions(TableContext context, int most) {
    this.context = context;
    this.most = most;
  }

  /** Adds a partition that is outside the table; any other is left out. */
  public void add(String partition) throws InvalidConfigException {
    if (RecordNames.isOutside(partition)) {
      folders.add(context.paths().folder(partition));
      if (folders.size() > most) {
        throw UsageErrors.tooManyOutside(context.paths().root(), most);
      }
    }
  }

  Set<Location> folders() {
    return Set.copyOf(folders);
  }

  /** Their names, without those inside others: a listing of a folder shows what is inside it. */
  public List<String> outermost() {
    return folders.stream().filter(it -> !isInside(it)).map(Location::toString).sorted().toList();
  }

  /** True for one of them, and for a folder inside one. */
  boolean cover(Location folder) {
    return folders.contains(folder) || isInside(folder);
  }

  private boolean isInside(Location folder) {
    for (Location inner = folder; !inner.key().isEmpty(); inner = inner.parent()) {
      if (folders.contains(inner.parent())) {
        return true;
      }
    }
    return false;
  }
}
