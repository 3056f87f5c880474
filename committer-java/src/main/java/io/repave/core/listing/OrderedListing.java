package io.repave.core.listing;

import io.repave.core.engine.TableContext;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.Utf8Order;
import java.io.IOException;

/**
 * Lists a folder and checks every page: the keys must be inside the folder, come after the key that
 * was asked for, and ascend in UTF-8 order. Planning jumps from folder to folder by that order, so
 * a store that lists otherwise would hide old files, and an overwrite would leave them beside the
 * new.
 *
 * <p>Requests: 1 LIST a page.
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
        throw unordered();
      }
      before = object.key();
    }
    if (page.more() && Utf8Order.compare(page.last(), before) < 0) {
      throw unordered();
    }
    return page;
  }

  private StoreException unordered() {
    return new StoreException(
        Kind.INVALID,
        "The store does not list the keys of "
            + folder
            + " in UTF-8 order, so Repave cannot tell which files lie there. Use a store that"
            + " does, such as a general purpose bucket of Amazon S3");
  }

  /** Hands on every key. */
  public void each(FolderScan.Keys keys) throws IOException, InterruptedException {
    String after = "";
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
