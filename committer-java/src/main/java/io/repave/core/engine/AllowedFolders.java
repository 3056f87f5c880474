package io.repave.core.engine;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.UsageErrors;
import io.repave.core.record.CommitId;
import io.repave.core.record.RecordNames;
import io.repave.core.store.Location;
import java.util.List;

/**
 * The folders in which a recovery may complete and delete files: the table's own folder, and
 * folders outside the table that {@code repave.locations.allowed} names. A record alone is no
 * reason to change files outside the table.
 */
public final class AllowedFolders {
  private final TableContext context;

  public AllowedFolders(TableContext context) {
    this.context = context;
  }

  /** The allowed folders outside the table. */
  public List<String> outside() {
    Location root = context.paths().root();
    return context.settings().allowed().stream()
        .filter(folder -> !root.equals(folder) && !root.holds(folder))
        .map(Location::toString)
        .toList();
  }

  public void require(CommitId commit, String partition) throws InvalidConfigException {
    if (!RecordNames.isOutside(partition)) {
      return;
    }
    Location folder = context.paths().folder(partition);
    for (Location allowed : context.settings().allowed()) {
      if (allowed.equals(folder) || allowed.holds(folder)) {
        return;
      }
    }
    throw UsageErrors.folderNotAllowed(commit.id(), partition, context.paths().root());
  }
}
