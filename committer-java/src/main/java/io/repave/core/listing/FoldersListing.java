package io.repave.core.listing;

import io.repave.core.engine.TableContext;
import io.repave.core.store.Location;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Lists some folders of a tree, with all that is inside them. Requests: see {@link FolderScan}. */
public final class FoldersListing {
  private final TableContext context;
  private final Location tree;

  public FoldersListing(TableContext context, Location tree) {
    this.context = context;
    this.tree = tree;
  }

  /** Passes on the keys of folders, in the order of the keys. */
  public void each(Collection<Location> folders, FolderScan.Keys keys)
      throws IOException, InterruptedException {
    List<String> prefixes =
        outermost(folders.stream().map(Location::prefix).sorted(Utf8Order.KEYS).toList());
    OrderedListing pages = new OrderedListing(context, tree);
    // Nothing of the tree is skipped: the table's records are outside it.
    FolderScan scan = new FolderScan(pages::after, context.paths().records().prefix(), prefixes);
    while (!scan.done()) {
      scan.page(keys);
    }
  }

  /** Prefixes in their order, without those inside another one. */
  static List<String> outermost(List<String> sorted) {
    List<String> prefixes = new ArrayList<>();
    for (String prefix : sorted) {
      String last = prefixes.isEmpty() ? null : prefixes.get(prefixes.size() - 1);
      if (last == null || !prefix.startsWith(last)) {
        prefixes.add(prefix);
      }
    }
    return prefixes;
  }
}
