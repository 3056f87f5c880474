package io.repave.hadoop.read;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The numbers of the last commits of this JVM, by the work that made them. */
final class RecentCommits {
  static final int WORKS_MOST = 1_000;

  /** The last commit of any work that is not in the map. */
  private long others;

  private final Map<String, Long> last =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          if (size() <= WORKS_MOST) {
            return false;
          }
          others = Math.max(others, eldest.getValue());
          return true;
        }
      };

  synchronized void add(Optional<String> work, long number) {
    if (work.isPresent()) {
      last.remove(work.get());
      last.put(work.get(), number);
    } else {
      others = number;
    }
  }

  /** The last commit that a work may have made. */
  synchronized long last(String work) {
    return Math.max(others, last.getOrDefault(work, 0L));
  }
}
