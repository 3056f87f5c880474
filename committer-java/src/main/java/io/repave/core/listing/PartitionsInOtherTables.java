package io.repave.core.listing;

import io.repave.core.engine.TableContext;
import io.repave.core.error.UsageErrors;
import io.repave.core.record.RecordNames;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Other tables whose folder contains a partition of this table: a partition outside this table's
 * folder, or in a table inside it. The other table's records do not name its files, so that table's
 * vacuum would delete them as orphans, and its overwrites would replace them.
 *
 * <p>Requests: 1 HEAD for each folder above the partitions that may be a table, the partitions' own
 * folders included; each is looked up once, in parallel. Where a HEAD is denied, 1 LIST. None for a
 * table that has partitions only.
 */
public final class PartitionsInOtherTables {
  private final TableContext context;

  public PartitionsInOtherTables(TableContext context) {
    this.context = context;
  }

  /** Throws when the folder of another table contains one of these partitions. */
  public void requireNone(Collection<String> partitions) throws IOException, InterruptedException {
    Map<Location, String> above = new LinkedHashMap<>();
    for (String partition : partitions) {
      boolean outside = RecordNames.isOutside(partition);
      // A folder that is named like a partition belongs to the table above it.
      Location root = TablePaths.of(context.paths().folder(partition)).root();
      while ((outside || context.paths().root().holds(root))
          && above.putIfAbsent(root, partition) == null) {
        root = TablePaths.of(root.parent()).root();
      }
    }
    context.runner().each(above.entrySet().iterator(), this::requireFree);
  }

  private void requireFree(Map.Entry<Location, String> folder)
      throws IOException, InterruptedException {
    Location head = new TablePaths(folder.getKey()).head();
    if (exists(head, folder.getValue())) {
      throw UsageErrors.partitionInAnotherTable(
          context.paths().root(), folder.getValue(), folder.getKey(), head);
    }
  }

  private boolean exists(Location head, String partition) throws IOException, InterruptedException {
    try {
      return context.records().find(head).isPresent();
    } catch (StoreException e) {
      if (e.kind() != Kind.DENIED) {
        throw e;
      }
      return isListed(head, partition);
    }
  }

  /** A job may list the whole bucket, but read only the folders of its own table. */
  private boolean isListed(Location head, String partition)
      throws IOException, InterruptedException {
    String before = head.key().substring(0, head.key().length() - 1);
    try {
      return new OrderedListing(context, head.parent())
          .firstAfter(before)
          .filter(object -> object.key().equals(head.key()))
          .isPresent();
    } catch (StoreException e) {
      if (e.kind() != Kind.DENIED) {
        throw e;
      }
      throw UsageErrors.folderAboveNotReadable(context.paths().root(), partition, head, e);
    }
  }
}
