package io.repave.hadoop.mapreduce;

import io.repave.core.store.Location;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The stored ledger of one attempt of a task. */
record AttemptLedger(String task, int attempt, Location at) {
  private static final Pattern NAME = Pattern.compile("(.+)-(\\d{1,9})");

  /** {@code name} is {@code <task>-<attempt>}; empty for the name of something else. */
  static Optional<AttemptLedger> of(String name, Location at) {
    Matcher found = NAME.matcher(name);
    return found.matches()
        ? Optional.of(new AttemptLedger(found.group(1), Integer.parseInt(found.group(2)), at))
        : Optional.empty();
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
