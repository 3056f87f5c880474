package io.repave.core.listing;

import io.repave.core.engine.TableContext;
import io.repave.core.error.RecordErrors;
import io.repave.core.record.TablePaths;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/**
 * Refuses a folder whose table has lost its head. A commit with a manifest and a report has been
 * finished in a head, which was deleted since. On a snapshot table, a new table or a plain listing
 * would show the files that the lost one had replaced. One of the two records may also be that of a
 * slow process, which wrote it after the table was dropped. Another job may just have begun the
 * table; then there is a head by now.
 *
 * <p>Requests: 1 LIST for each page of records, and 1 GET where there is a finished commit. Readers
 * see: no change. If the process dies here: nothing was written.
 */
public final class DeletedHead {
  private final TableContext context;
  private final Location commits;
  private final Set<String> planned = new HashSet<>();

  public DeletedHead(TableContext context) {
    this.context = context;
    this.commits = context.paths().commits();
  }

  /** On any page: a job that died may have left many messages of tasks. */
  public void requireNone() throws IOException, InterruptedException {
    new OrderedListing(context, commits).each(this::requireUnfinished);
  }

  /** The same, when the first page of the table's folder is known. */
  public void requireNone(ListPage first) throws IOException, InterruptedException {
    if (first.more()) {
      requireNone();
      return;
    }
    for (ListedObject object : first.objects()) {
      if (object.key().startsWith(commits.prefix())) {
        requireUnfinished(object);
      }
    }
  }

  private void requireUnfinished(ListedObject object) throws IOException, InterruptedException {
    Location record = new Location(commits.bucket(), object.key());
    String commit = record.parent().key();
    if (record.name().startsWith(TablePaths.MANIFEST)) {
      planned.add(commit);
    } else if (record.name().equals(TablePaths.REPORT)
        && planned.contains(commit)
        && context.heads().read().head().isEmpty()) {
      Location records = context.paths().records();
      throw RecordErrors.headDeleted(context.paths().head(), record, records);
    }
  }
}
