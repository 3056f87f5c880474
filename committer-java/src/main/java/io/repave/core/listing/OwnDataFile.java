package io.repave.core.listing;

import io.repave.core.engine.TableContext;
import io.repave.core.error.UsageErrors;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Optional;

/**
 * Looks for a data file in a folder without records, which an adoption would make a table. Files of
 * tables inside the folder do not count, because the adoption leaves them out: a folder without
 * other files is no table, but the one above some.
 *
 * <p>Requests: 1 LIST for each page up to that file, without the pages of the tables inside, and
 * those of {@link InnerTables}.
 */
public final class OwnDataFile {
  private final TableContext context;
  private final InnerTables inner;

  public OwnDataFile(TableContext context) {
    this.context = context;
    this.inner = new InnerTables(context);
  }

  /** Throws when there is none. */
  public void require() throws IOException, InterruptedException {
    Location root = context.paths().root();
    OrderedListing listing = new OrderedListing(context, root);
    Optional<Location> first = Optional.empty();
    Optional<Location> last = Optional.empty();
    String after = "";
    boolean more = true;
    while (more) {
      ListPage page = listing.after(after);
      for (ListedObject object : page.objects()) {
        if (!TouchedListing.isHidden(object.key().substring(root.prefix().length()))) {
          last = inner.containing(new Location(root.bucket(), object.key()));
          if (last.isEmpty()) {
            return;
          }
          first = first.isPresent() ? first : last;
        }
      }
      after = next(page.last(), last);
      more = page.more();
    }
    throw first.isPresent()
        ? UsageErrors.onlyInnerTables(root, first.get())
        : UsageErrors.nothingToAdopt(root);
  }

  /** The key to go on after: the last one, or beyond the table that it is in. */
  private static String next(String key, Optional<Location> table) {
    return table
        .map(Location::prefix)
        .filter(key::startsWith)
        .map(prefix -> prefix + FolderScan.HIGHEST)
        .orElse(key);
  }
}
