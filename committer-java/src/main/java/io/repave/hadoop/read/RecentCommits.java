package io.repave.hadoop.read;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Numbers the commits of this JVM, and knows the last one of each work that made some. */
final class RecentCommits {
  static final int WORKS_MOST = 1_000;

  private final Map<String, Long> last = new LinkedHashMap<>();
  private long number;

  /** The last commit of any work that is not in the map. */
  private long others;

  /** Adds a commit. Without a known work, it may be of any. */
  synchronized void add(Optional<String> work) {
    number++;
    if (work.isEmpty()) {
      others = number;
      return;
    }
    last.remove(work.get());
    last.put(work.get(), number);
    if (last.size() > WORKS_MOST) {
      Iterator<Long> oldest = last.values().iterator();
      others = Math.max(others, oldest.next());
      oldest.remove();
    }
  }

  /** How many there were so far. */
  synchronized long number() {
    return number;
  }

  /** The last commit that a work may have made. */
  synchronized long last(String work) {
    return Math.max(others, last.getOrDefault(work, 0L));
  }
}
