package io.repave.hadoop.faults;

import io.repave.hadoop.faults.Trial.Outcome;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** How the trials of each mode ended: a table of Markdown, printed line by line. */
final class Tally {
  private final PrintStream out;
  private final long[] hits = new long[Mode.TARGETS.size()];

  Tally(PrintStream out, String title) {
    this.out = out;
    out.println(title + "\n");
    StringBuilder titles = new StringBuilder("| mode | requests hit |");
    for (Outcome outcome : Outcome.values()) {
      titles.append(' ').append(outcome.title).append(" |");
    }
    out.println(titles + " seconds |");
    out.println("|---|--:|" + "--:|".repeat(Outcome.values().length) + "--:|");
  }

  void add(Mode mode, List<Outcome> outcomes, List<Long> hitsOfMode, long nanos) {
    Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);
    outcomes.forEach(outcome -> counts.merge(outcome, 1, Integer::sum));
    long all = hitsOfMode.stream().mapToLong(Long::longValue).sum();
    StringBuilder line = new StringBuilder("| " + mode.title + " | " + all + " |");
    for (Outcome outcome : Outcome.values()) {
      line.append(' ').append(counts.getOrDefault(outcome, 0)).append(" |");
    }
    out.println(line + " " + TimeUnit.NANOSECONDS.toSeconds(nanos) + " |");
    for (int i = 0; i < hits.length; i++) {
      hits[i] += hitsOfMode.get(i);
    }
  }

  /** Prints how often each kind of call was hit; returns those that were not. */
  List<String> unhit() {
    List<String> counts = new ArrayList<>();
    List<String> none = new ArrayList<>();
    for (int i = 0; i < hits.length; i++) {
      String name = Mode.TARGETS.get(i).name();
      counts.add(name + " " + hits[i]);
      if (hits[i] == 0) {
        none.add(name);
      }
    }
    out.println("\nRequests hit: " + String.join(", ", counts) + ".");
    return none;
  }
}
