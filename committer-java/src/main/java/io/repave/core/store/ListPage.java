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
}
