package io.repave.core.engine;

import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreErrors;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Deletes objects by their exact keys, in pages; it never deletes a folder. */
public final class FileDeletion {
  private FileDeletion() {}

  /** Receives the number of deleted keys. */
  @FunctionalInterface
  public interface Deleted {
    void keys(long count);
  }

  /** Deletes keys in full pages, several pages in parallel. Requests: 1 bulk delete a page. */
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

  /** Deletes are idempotent, so keys without a clear answer are sent again. */
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
        failure = StoreErrors.notDeleted(failures);
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
   * {@link ObjectStore#delete} allows a store to refuse a whole page when the request cannot
   * express one of its keys. The store over S3A deletes such keys alone by itself.
   */
  private static void deleteEach(TableContext context, List<Location> keys)
      throws IOException, InterruptedException {
    for (Location key : keys) {
      deletePage(context, List.of(key));
    }
  }
}
