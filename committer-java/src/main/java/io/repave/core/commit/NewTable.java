package io.repave.core.commit;

import io.repave.core.engine.TableContext;
import io.repave.core.error.FollowErrors;
import io.repave.core.follow.OtherFormat;
import io.repave.core.listing.DeletedHead;
import io.repave.core.record.FollowerKind;
import io.repave.core.store.ListPage;
import io.repave.core.store.Location;
import java.io.IOException;

/**
 * The folder in which a table is about to begin, because it has no head. Nothing may be there that
 * the new table would contradict: a table of another format, records of a table whose head was
 * deleted, files of a table around it, or symlink manifests that this table would have to follow.
 *
 * <p>Requests: 1 LIST and those of {@link OuterTables}. If the folder has more keys than one page:
 * 4 more and, for {@link OtherFormat}, perhaps 1 GET. 1 LIST more if symlink manifests follow the
 * table. Readers see: no change. If the process dies here: nothing was written.
 */
final class NewTable {
  private final TableContext context;

  NewTable(TableContext context) {
    this.context = context;
  }

  /**
   * Throws when something is in the way. Answers with the tables around, of which one may write or
   * adopt a file in the folder while the first job of the new table runs.
   */
  OuterTables requireFree() throws IOException, InterruptedException {
    ListPage first = page(context.paths().root());
    new OtherFormat(context).requireNone(first);
    new DeletedHead(context).requireNone(first);
    OuterTables around = new OuterTables(context);
    around.requireNoFile();
    if (context.settings().followers().contains(FollowerKind.SYMLINK)) {
      requireNoManifests(context.paths().pointer(FollowerKind.SYMLINK));
    }
    return around;
  }

  /** A folder of the table without files now would keep its manifest for good. */
  private void requireNoManifests(Location manifests) throws IOException, InterruptedException {
    if (!page(manifests).objects().isEmpty() && context.heads().read().head().isEmpty()) {
      throw FollowErrors.manifestsExist(manifests);
    }
  }

  private ListPage page(Location folder) throws IOException, InterruptedException {
    return context.retry().known(() -> context.store().list(folder, ""));
  }
}
