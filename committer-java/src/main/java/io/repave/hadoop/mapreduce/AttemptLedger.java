package io.repave.hadoop.mapreduce;

import io.repave.core.store.Location;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The stored ledger of one attempt of a task. */
record AttemptLedger(String task, int attempt, Location at) {
  /** {@code name} is {@code <task>-<attempt>}. */
  static AttemptLedger of(String name, Location at) {
    int dash = name.lastIndexOf('-');
    return new AttemptLedger(
        name.substring(0, dash), Integer.parseInt(name.substring(dash + 1)), at);
  }

  /**
   * One ledger of each task. If several attempts stored one, the highest number counts, because its
   * engine gave up those before. Each of them is complete.
   */
  static Collection<AttemptLedger> lastOfEachTask(List<AttemptLedger> stored) {
    Map<String, AttemptLedger> last = new TreeMap<>();
    for (AttemptLedger each : stored) {
      last.merge(each.task(), each, (one, two) -> one.attempt() > two.attempt() ? one : two);
    }
    return last.values();
  }
}
