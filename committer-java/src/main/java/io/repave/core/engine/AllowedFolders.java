package io.repave.core.engine;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitId;
import io.repave.core.record.RecordNames;
import io.repave.core.store.Location;

/**
 * The folders in which a recovery may complete and delete files: the table's own, and those outside
 * that the caller allows. A record alone is no reason to change files elsewhere.
 */
public final class AllowedFolders {
  private final TableContext context;

  public AllowedFolders(TableContext context) {
    this.context = context;
  }

  public void require(CommitId commit, String partition) throws InvalidConfigException {
    if (!RecordNames.elsewhere(partition)) {
      return;
    }
    Location folder = context.paths().folder(partition);
    for (Location allowed : context.settings().allowed()) {
      if (allowed.equals(folder) || allowed.holds(folder)) {
        return;
      }
    }
    throw new InvalidConfigException(
        "Commit "
            + commit.id()
            + " names "
            + partition
            + ", outside the table "
            + context.paths().root()
            + ". A record alone is no reason to change files there: set repave.locations.allowed"
            + " to this folder, or one around it, and run again.");
  }
}
