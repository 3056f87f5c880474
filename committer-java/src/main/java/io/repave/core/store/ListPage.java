package io.repave.core.store;

import java.util.List;

/**
 * A page of a listing, sorted by the keys' UTF-8 bytes. A page may be short or empty although more
 * pages follow; only {@code more} says so. The next page starts after {@code last}.
 */
public record ListPage(List<ListedObject> objects, boolean more, String last) {
  public ListPage {
    objects = List.copyOf(objects);
  }

  /** The page that a store returned for the keys after {@code after}. */
  public static ListPage after(String after, List<ListedObject> objects, boolean more) {
    return new ListPage(
        objects, more, objects.isEmpty() ? after : objects.get(objects.size() - 1).key());
  }
}
