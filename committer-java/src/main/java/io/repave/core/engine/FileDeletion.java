package io.repave.core.engine;

import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The one way to delete: by exact key, and never a folder. */
public final class FileDeletion {
  private FileDeletion() {}

  /** Hears how many keys are gone. */
  @FunctionalInterface
  public interface Deleted {
    void keys(long count);
  }

  /** Deletes keys in full pages, many pages at a time. */
  public static void deleteAll(TableContext context, List<Location> keys, Deleted deleted)
      throws IOException, InterruptedException {
    context
        .runner()
        .each(
            pages(keys).iterator(),
            page -> {
              deletePage(context, page);
              deleted.keys(page.size());
            });
  }

  /** Full pages of keys, each of one bucket. */
  public static List<List<Location>> pages(List<Location> keys) {
    Map<String, List<Location>> buckets = new LinkedHashMap<>();
    for (Location key : keys) {
      buckets.computeIfAbsent(key.bucket(), bucket -> new ArrayList<>()).add(key);
    }
    List<List<Location>> pages = new ArrayList<>();
    for (List<Location> bucket : buckets.values()) {
      for (int from = 0; from < bucket.size(); from += ObjectStore.DELETE_PAGE) {
        int to = Math.min(bucket.size(), from + ObjectStore.DELETE_PAGE);
        pages.add(bucket.subList(from, to));
      }
    }
    return pages;
  }

  /** Deleting a key twice is deleting it once: whatever has no clear answer is sent again. */
  private static void deletePage(TableContext context, List<Location> page)
      throws IOException, InterruptedException {
    Retry.Attempts attempts = context.retry().begin();
    List<Location> left = page;
    while (true) {
      StoreException failure;
      try {
        List<DeleteFailure> failures = context.store().delete(left);
        if (failures.isEmpty()) {
          return;
        }
        left = failures.stream().map(DeleteFailure::at).toList();
        failure = notDeleted(failures);
      } catch (StoreException e) {
        failure = e;
      }
      if (failure.kind() == Kind.INVALID && left.size() > 1) {
        deleteEach(context, left);
        return;
      }
      if (failure.kind() != Kind.UNKNOWN || !attempts.pause()) {
        throw failure;
      }
    }
  }

  /**
   * A page is refused as a whole when the request cannot express one of its keys: XML has no way to
   * write most control characters. Alone, each key goes into a URL, which can hold any.
   */
  private static void deleteEach(TableContext context, List<Location> keys)
      throws IOException, InterruptedException {
    for (Location key : keys) {
      deletePage(context, List.of(key));
    }
  }

  private static StoreException notDeleted(List<DeleteFailure> failures) {
    return new StoreException(
        Kind.UNKNOWN,
        failures.size()
            + " files could not be deleted, among them "
            + failures.get(0).at()
            + " ("
            + failures.get(0).reason()
            + ")");
  }
}
