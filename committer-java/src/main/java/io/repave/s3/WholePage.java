package io.repave.s3;

import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import java.util.List;

/** A page of a listing that gets the caller on: with keys, or the last. */
final class WholePage {
  /** So many empty pages that are not the end, and it is no listing. */
  static final int MOST_EMPTY = 100;

  private WholePage() {}

  static ListPage of(List<ListedObject> objects, boolean more, String after) {
    return new ListPage(
        objects, more, objects.isEmpty() ? after : objects.get(objects.size() - 1).key());
  }

  static UnusableAnswer tooManyEmpty() {
    return new UnusableAnswer("any key on " + MOST_EMPTY + " pages that were not the last");
  }
}
