package io.repave.core.store;

import java.util.List;

/**
 * Part of a listing, in UTF-8 order of the keys. A page may be short, even empty, while more
 * follow: only {@code more} tells, and {@code last} is where the next page starts after.
 */
public record ListPage(List<ListedObject> objects, boolean more, String last) {
  public ListPage {
    objects = List.copyOf(objects);
  }

  /** A page that a store sent for what comes after {@code after}. */
  public static ListPage after(String after, List<ListedObject> objects, boolean more) {
    return new ListPage(
        objects, more, objects.isEmpty() ? after : objects.get(objects.size() - 1).key());
  }
}
