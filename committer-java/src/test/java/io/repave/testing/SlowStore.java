package io.repave.testing;

import io.repave.core.engine.CountedStore.Request;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** A store with latency: half of it before a request has its effect, half of it after. */
public final class SlowStore extends InterceptingStore {
  /** Medians as seen on S3, within its region. */
  private static final Map<Request, Integer> MILLIS =
      Map.of(Request.GET, 22, Request.HEAD, 10, Request.PUT, 27, Request.LIST, 40);

  private static final int OTHER_MILLIS = 40;

  private final int slowness;
  private final LongAdder headWrites = new LongAdder();
  private final LongAdder lostHeadWrites = new LongAdder();
  private final LongAdder ledgerReads = new LongAdder();

  /** {@code slowness}: 1 for the latencies of S3, more for multiples of them. */
  public SlowStore(ObjectStore store, int slowness) {
    super(store);
    this.slowness = slowness;
  }

  public long headWrites() {
    return headWrites.sum();
  }

  public long lostHeadWrites() {
    return lostHeadWrites.sum();
  }

  public long ledgerReads() {
    return ledgerReads.sum();
  }

  @Override
  protected void before(Request request, Location at) {
    half(request);
  }

  private void half(Request request) {
    double millis = slowness * MILLIS.getOrDefault(request, OTHER_MILLIS) / 2.0;
    try {
      Thread.sleep((long) (millis * (0.5 + ThreadLocalRandom.current().nextDouble())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Optional<StoredObject> read(Location at, long maxBytes) throws StoreException {
    Optional<StoredObject> read = super.read(at, maxBytes);
    half(Request.GET);
    if (at.key().contains("/uploads")) {
      ledgerReads.increment();
    }
    return read;
  }

  @Override
  public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
    headWrites.increment();
    try {
      return super.putIfMatch(at, content, etag);
    } catch (StoreException e) {
      lostHeadWrites.increment();
      throw e;
    } finally {
      half(Request.PUT);
    }
  }
}
