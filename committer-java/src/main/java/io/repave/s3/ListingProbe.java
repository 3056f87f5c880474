package io.repave.s3;

import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Tests whether a store lists keys in UTF-8 order and after any given key, which the plan of an
 * overwrite requires. Directory buckets of Amazon S3, for example, do neither. Requests: 1 PUT per
 * key and 1 LIST. The caller deletes the keys.
 */
final class ListingProbe {
  /**
   * In UTF-8 order: a capital letter first, then characters before and after a slash. No name is a
   * folder of another: no path of Repave needs that, and MinIO does not support it.
   */
  private static final List<String> NAMES = List.of("B", "a!", "a-b", "a/b", "a0", "b");

  private static final String AFTER = "a!";

  private final ObjectStore store;
  private final Location folder;

  ListingProbe(ObjectStore store, Location folder) {
    this.store = store;
    this.folder = folder;
  }

  /** The keys that the probe writes. */
  List<Location> keys() {
    return NAMES.stream().map(folder::resolve).toList();
  }

  /** The check that the store fails, if any. */
  Map<StoreCheck, String> run(ParallelRunner runner) throws IOException, InterruptedException {
    runner.each(keys().iterator(), key -> store.put(key, ByteBuffer.wrap(new byte[] {1})));
    List<String> expected = new ArrayList<>();
    for (Location key : keys().subList(NAMES.indexOf(AFTER) + 1, NAMES.size())) {
      expected.add(key.key());
    }
    try {
      return listed().equals(expected) ? Map.of() : Map.of(StoreCheck.LIST_ORDER, "");
    } catch (StoreException e) {
      if (e.kind() != Kind.INVALID) {
        throw e;
      }
      return Map.of(StoreCheck.LIST_SUPPORTED, e.getMessage());
    }
  }

  private List<String> listed() throws StoreException {
    List<String> keys = new ArrayList<>();
    String after = folder.resolve(AFTER).key();
    boolean more = true;
    while (more && keys.size() < NAMES.size()) {
      ListPage page = store.list(folder, after);
      page.objects().stream().map(ListedObject::key).forEach(keys::add);
      after = page.last();
      more = page.more();
    }
    return keys;
  }
}
