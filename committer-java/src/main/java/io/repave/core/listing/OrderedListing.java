package io.repave.core.listing;

import io.repave.core.engine.TableContext;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.StoreErrors;
import io.repave.core.store.StoreException;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Lists a folder and checks every page: the keys must be inside the folder, come after the
 * requested key, and ascend in UTF-8 order. The plan step skips from folder to folder by that
 * order. With another order it would not see some of the old files, and an overwrite would leave
 * them in the table.
 *
 * <p>Requests: 1 LIST per page.
 */
public final class OrderedListing {
  private final TableContext context;
  private final Location folder;

  public OrderedListing(TableContext context, Location folder) {
    this.context = context;
    this.folder = folder;
  }

  /** The page of keys after a key. */
  ListPage after(String key) throws StoreException, InterruptedException {
    ListPage page = context.retry().known(() -> context.store().list(folder, key));
    String before = key;
    for (ListedObject object : page.objects()) {
      boolean inside = object.key().startsWith(folder.prefix());
      if (!inside || !before.isEmpty() && Utf8Order.compare(object.key(), before) <= 0) {
        throw StoreErrors.unorderedListing(folder);
      }
      before = object.key();
    }
    if (page.more() && Utf8Order.compare(page.last(), before) < 0) {
      throw StoreErrors.unorderedListing(folder);
    }
    return page;
  }

  /** The first key of the folder, if the first page has one. Requests: 1 LIST. */
  public Optional<ListedObject> first() throws StoreException, InterruptedException {
    return after("").objects().stream().findFirst();
  }

  /** The first key after one. Requests: 1 LIST, more only after pages that are empty. */
  Optional<ListedObject> firstAfter(String key) throws StoreException, InterruptedException {
    ListPage page = after(key);
    while (page.objects().isEmpty() && page.more()) {
      page = after(page.last());
    }
    return page.objects().stream().findFirst();
  }

  /** Passes on every key outside one inner folder, whose pages are skipped. */
  public void eachExcept(Location skipped, FolderScan.Keys keys)
      throws IOException, InterruptedException {
    FolderScan scan = new FolderScan(this::after, skipped.prefix(), List.of(folder.prefix()));
    while (!scan.done()) {
      scan.page(keys);
    }
  }

  /** Passes on every key. */
  public void each(FolderScan.Keys keys) throws IOException, InterruptedException {
    eachAfter("", keys);
  }

  /** Where every object is. */
  public List<Location> locations() throws IOException, InterruptedException {
    List<Location> found = new ArrayList<>();
    each(object -> found.add(new Location(folder.bucket(), object.key())));
    return found;
  }

  /** Passes on every key after one. */
  public void eachAfter(String first, FolderScan.Keys keys)
      throws IOException, InterruptedException {
    String after = first;
    boolean more = true;
    while (more) {
      ListPage page = after(after);
      for (ListedObject object : page.objects()) {
        keys.key(object);
      }
      after = page.last();
      more = page.more();
    }
  }
}
