package io.repave.core.listing;

import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the keys of some folders of a tree by listing the tree and skipping what is between them. A
 * page that covers many small folders costs one request; a folder far from the previous one costs
 * its own request. So a scan never takes more requests than listing each folder, and often hundreds
 * of times fewer.
 */
final class FolderScan {
  /** Lists one page of the tree's keys after a key. */
  @FunctionalInterface
  interface Pages {
    ListPage after(String key) throws IOException, InterruptedException;
  }

  /** Receives the keys that were found. */
  @FunctionalInterface
  public interface Keys {
    void key(ListedObject object) throws IOException, InterruptedException;
  }

  /** After a prefix, it is after all keys that begin so. */
  static final String HIGHEST = Character.toString(Character.MAX_CODE_POINT);

  private final Pages pages;
  private final String skipped;
  private final List<String> prefixes;
  private int next;
  private String after;
  private String until = "";

  /**
   * {@code prefixes} holds the folders' prefixes in UTF-8 order, none inside another; {@code
   * skipped} is a prefix that the scan skips.
   */
  FolderScan(Pages pages, String skipped, List<String> prefixes) {
    this.pages = pages;
    this.skipped = skipped;
    this.prefixes = prefixes;
    this.after = prefixes.isEmpty() ? "" : prefixes.get(0);
  }

  boolean done() {
    return next >= prefixes.size();
  }

  /** The number of folders that the scan has passed. */
  int covered() {
    return next;
  }

  /** A scan of the folders {@code from} to {@code to}; the current folder continues in place. */
  FolderScan part(int from, int to) {
    FolderScan part = new FolderScan(pages, skipped, prefixes.subList(from, to));
    if (from == next) {
      part.after = after;
    }
    return part;
  }

  /** True when the scan has listed everything up to a key. */
  boolean isPast(String key) {
    return done() || Utf8Order.compare(key, after) <= 0;
  }

  /** Scans of the rest of the present folder, divided after some keys in their order. */
  List<FolderScan> dividedAfter(List<String> keys) {
    List<FolderScan> parts = new ArrayList<>();
    String from = after;
    for (String key : keys) {
      parts.add(between(from, key));
      from = key;
    }
    parts.add(between(from, ""));
    return parts;
  }

  private FolderScan between(String from, String to) {
    FolderScan part = part(next, prefixes.size());
    part.after = from;
    part.until = to;
    return part;
  }

  private boolean isBeyond(String key) {
    return !until.isEmpty() && Utf8Order.compare(key, until) > 0;
  }

  /** Lists one page and passes on the keys inside the folders. */
  void page(Keys keys) throws IOException, InterruptedException {
    ListPage page = pages.after(after);
    for (ListedObject object : page.objects()) {
      passFoldersBefore(object.key());
      if (isBeyond(object.key())) {
        next = prefixes.size();
      }
      if (done()) {
        return;
      }
      if (object.key().startsWith(prefixes.get(next))) {
        keys.key(object);
      }
    }
    if (!page.more() || isBeyond(page.last())) {
      next = prefixes.size();
      return;
    }
    passFoldersBefore(page.last());
    if (!done()) {
      after = page.last().startsWith(skipped) ? skipped + HIGHEST : page.last();
      String prefix = prefixes.get(next);
      after = Utf8Order.compare(prefix, after) > 0 ? prefix : after;
    }
  }

  private void passFoldersBefore(String key) {
    while (!done()
        && !key.startsWith(prefixes.get(next))
        && Utf8Order.compare(prefixes.get(next), key) < 0) {
      next++;
    }
  }
}
