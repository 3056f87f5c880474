package io.repave.hadoop;

import io.repave.core.engine.SharedHead;
import io.repave.core.store.Location;
import io.repave.hadoop.runtime.FairTurns;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;

/**
 * What the jobs of this JVM share about the heads of their tables. It is kept while a job of the
 * table runs.
 */
final class SharedHeads {
  static final SharedHeads OF_JVM = new SharedHeads();

  private final Map<Location, WeakReference<SharedHead>> heads = new HashMap<>();

  synchronized SharedHead of(Location head) {
    WeakReference<SharedHead> known = heads.get(head);
    SharedHead shared = known == null ? null : known.get();
    if (shared == null) {
      shared = new SharedHead(new FairTurns());
      heads.values().removeIf(each -> each.get() == null);
      heads.put(head, new WeakReference<>(shared));
    }
    return shared;
  }

  synchronized int size() {
    return heads.size();
  }
}
