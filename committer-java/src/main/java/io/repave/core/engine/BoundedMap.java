package io.repave.core.engine;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map that forgets an entry when it would have more than its bound. Not for several threads. */
public final class BoundedMap<K, V> extends LinkedHashMap<K, V> {
  private static final long serialVersionUID = 1L;
  private static final int USUAL_CAPACITY = 16;
  private static final float USUAL_LOAD = 0.75f;

  private final int most;

  private BoundedMap(int most, boolean byUse) {
    super(USUAL_CAPACITY, USUAL_LOAD, byUse);
    this.most = most;
  }

  /** Forgets the entry that was added first. */
  public static <K, V> BoundedMap<K, V> ofNewest(int most) {
    return new BoundedMap<>(most, false);
  }

  /** Forgets the entry that was not used for the longest time. */
  public static <K, V> BoundedMap<K, V> ofLastUsed(int most) {
    return new BoundedMap<>(most, true);
  }

  @Override
  protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
    return size() > most;
  }
}
