package io.repave.hadoop.read;

import io.repave.core.engine.BoundedMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** What the last looks of this JVM showed, for 5 seconds. The newest keys are kept. */
final class RecentLooks<K, V> {
  private static final long NANOS_MOST = TimeUnit.SECONDS.toNanos(5);

  private record Look<V>(V seen, long until) {}

  private final LongSupplier nanos;
  private final Map<K, Look<V>> looks;

  RecentLooks(int most, LongSupplier nanos) {
    this.nanos = nanos;
    looks = BoundedMap.ofNewest(most);
  }

  /** When a look that begins now is too old. */
  long until() {
    return nanos.getAsLong() + NANOS_MOST;
  }

  /** Replaces what is known of a key, by nothing if the look showed nothing to keep. */
  void keep(K key, Optional<V> seen, long until) {
    synchronized (looks) {
      looks.remove(key);
      seen.ifPresent(it -> looks.put(key, new Look<>(it, until)));
    }
  }

  Optional<V> find(K key) {
    synchronized (looks) {
      return Optional.ofNullable(looks.get(key))
          .filter(look -> nanos.getAsLong() - look.until() < 0)
          .map(Look::seen);
    }
  }
}
