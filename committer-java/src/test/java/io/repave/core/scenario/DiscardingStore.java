package io.repave.core.scenario;

import io.repave.core.store.Content;
import io.repave.core.store.Location;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.MemoryObjectStore;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps only the records that a commit reads back, so that a test can measure the memory of the
 * engine alone.
 */
final class DiscardingStore extends InterceptingStore {
  private final AtomicLong completed = new AtomicLong();

  DiscardingStore() {
    super(new MemoryObjectStore());
  }

  long completed() {
    return completed.get();
  }

  /** A commit swaps the head, and reads manifests back to delete the files that they name. */
  private static boolean isReadBack(Location at) {
    return at.key().endsWith("head.json") || at.key().contains("/manifest");
  }

  @Override
  public String put(Location at, Content content) throws StoreException {
    return isReadBack(at) ? super.put(at, content) : "discarded";
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    return isReadBack(at) ? super.putIfAbsent(at, content) : "discarded";
  }

  @Override
  public void complete(PendingUpload upload) {
    completed.incrementAndGet();
  }
}
