package io.repave.testing;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * A store with latency: half of it before a request has its effect. Reads and swaps, whose answers
 * the next request depends on, also wait the other half before they are answered.
 */
public final class SlowStore extends InterceptingStore {
  /** Medians as seen on S3, within its region. */
  private static final Map<StoreCall, Integer> MILLIS =
      Map.of(
          StoreCall.READ, 22,
          StoreCall.HEAD, 10,
          StoreCall.PUT, 27,
          StoreCall.PUT_IF_ABSENT, 27,
          StoreCall.PUT_IF_MATCH, 27,
          StoreCall.LIST, 40);

  private static final int OTHER_MILLIS = 40;
  private static final Set<StoreCall> ANSWERED_LATE =
      Set.of(StoreCall.READ, StoreCall.PUT_IF_MATCH);

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
  protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
    if (call == StoreCall.PUT_IF_MATCH) {
      headWrites.increment();
    }
    if (call == StoreCall.READ && at.key().contains("/uploads")) {
      ledgerReads.increment();
    }
    half(call);
    try {
      return run.run();
    } catch (StoreException e) {
      if (call == StoreCall.PUT_IF_MATCH) {
        lostHeadWrites.increment();
      }
      throw e;
    } finally {
      if (ANSWERED_LATE.contains(call)) {
        half(call);
      }
    }
  }

  private void half(StoreCall call) {
    double millis = slowness * MILLIS.getOrDefault(call, OTHER_MILLIS) / 2.0;
    try {
      Thread.sleep((long) (millis * (0.5 + ThreadLocalRandom.current().nextDouble())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
