package io.repave.core.commit;

import io.repave.core.engine.TableContext;
import io.repave.core.error.FollowErrors;
import io.repave.core.error.RecordErrors;
import io.repave.core.follow.OtherFormat;
import io.repave.core.record.FollowerKind;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The folder in which a table is about to begin, because it has no head. Nothing may be there that
 * the new table would contradict: a table of another format, records of a table whose head was
 * deleted, or symlink manifests that this table would have to follow.
 *
 * <p>Requests: 1 LIST. If the folder has more keys than one page: 4 more and, for {@link
 * OtherFormat}, perhaps 1 GET. 1 LIST more if symlink manifests follow the table. Readers see: no
 * change. If the process dies here: nothing was written.
 */
final class NewTable {
  /**
   * Records that are written only after a head. A job that died before its reservation left none of
   * them, only its ledger or those of its tasks.
   */
  private static final Pattern AFTER_A_HEAD =
      Pattern.compile(
          "(?s)(checkpoints|followers|refused|tokens)/.+|commits/[^/]+/(manifest.*|report\\.json)");

  private final TableContext context;

  NewTable(TableContext context) {
    this.context = context;
  }

  /** Throws when something is in the way. */
  void requireFree() throws IOException, InterruptedException {
    ListPage first = page(context.paths().root());
    new OtherFormat(context).requireNone(first);
    requireNoRecords(first.more() ? page(context.paths().records()) : first);
    if (context.settings().followers().contains(FollowerKind.SYMLINK)) {
      requireNoManifests(context.paths().pointer(FollowerKind.SYMLINK));
    }
  }

  /**
   * On a snapshot table, a new table would show the files that the lost one had replaced. Another
   * job may just have begun the table; then there is a head by now.
   */
  private void requireNoRecords(ListPage listed) throws IOException, InterruptedException {
    Location records = context.paths().records();
    String folder = records.prefix();
    Optional<ListedObject> left =
        listed.objects().stream()
            .filter(it -> it.key().startsWith(folder))
            .filter(it -> AFTER_A_HEAD.matcher(it.key().substring(folder.length())).matches())
            .findFirst();
    if (left.isPresent() && context.heads().read().head().isEmpty()) {
      Location record = new Location(records.bucket(), left.get().key());
      throw RecordErrors.headDeleted(context.paths().head(), record, records);
    }
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
