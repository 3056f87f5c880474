package io.repave.core.scenario;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestPorts;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Processes of one table whose operations happen inside each other's requests. At any request a
 * process may die, or sleep while others work, and go on afterwards.
 */
final class Life {
  static final long DAY = 86_400_000L;

  /** Partitions in the table's folder, some of them inside others. */
  static final List<String> INSIDE =
      List.of("dt=1", "dt=10", "dt=1/h=1", "dt=1/h=10", "dt=%41", "dt=a b", "dt=é", "_x=1", "");

  static final List<String> OUTSIDE = List.of("s3://lake/archive/dt=8", "s3://cold/sales/dt=9");

  /** The folders of the partitions outside. */
  static final List<Location> ALLOWED =
      List.of(new Location("lake", "archive"), new Location("cold", "sales"));

  final Random random;
  final TestTable table;
  private final List<String> trace = new ArrayList<>();
  private final int deepest;
  private Runnable observer = () -> {};
  private AssertionError violation;
  private int depth;
  private int pauses;

  /** {@code deepest} is how many operations may be inside each other. */
  Life(long seed, TestTable table, int deepest) {
    this.random = new Random(seed * 7919);
    this.table = table;
    this.deepest = deepest;
  }

  /** Something that a process does. */
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  /** Runs before each request of each process. */
  void observer(Runnable each) {
    observer = each;
  }

  /** What was done, an operation inside another one in braces. */
  List<String> trace() {
    return trace;
  }

  void note(String what) {
    trace.add(what);
  }

  /** True inside a request of another operation. */
  boolean inside() {
    return depth > 0;
  }

  /** How often a process slept so far while others worked. */
  int pauses() {
    return pauses;
  }

  /** Throws what went wrong inside a request, which an engine may have taken for its own error. */
  void requireNoViolation() {
    if (violation != null) {
      throw violation;
    }
  }

  <T> T any(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  boolean oneOf(int chances) {
    return random.nextInt(chances) == 0;
  }

  /** Lets up to so much time pass. */
  void sleep(long most) {
    table.clock.advance((long) (random.nextDouble() * most));
  }

  /** The ports of a process that nothing happens to. */
  TestPorts undisturbed() {
    return table.process();
  }

  /** The ports of a process that may die, and inside which others may work. */
  TestPorts process(Work others) {
    int death = oneOf(5) ? call() : 0;
    int[] pause = {depth < deepest && oneOf(2 + depth) ? call() : 0};
    if (death > 0) {
      note("dies at request " + death);
    }
    int[] calls = {0};
    ObjectStore way =
        InterceptingStore.before(
            table.counted,
            (call, at) -> {
              observer.run();
              calls[0]++;
              if (death > 0 && calls[0] >= death) {
                throw ProcessDied.at(calls[0]);
              }
              if (calls[0] == pause[0]) {
                pause[0] = oneOf(3) ? calls[0] + call() : 0;
                meanwhile(others, calls[0] + " " + call + " " + at.name());
              }
            });
    return table.process(way);
  }

  private int call() {
    return 1 + random.nextInt(random.nextBoolean() ? 12 : 40);
  }

  private void meanwhile(Work others, String where) throws StoreException {
    depth++;
    pauses++;
    note("{ at " + where);
    try {
      sleep(oneOf(4) ? 20 * DAY : DAY);
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        others.run();
      }
    } catch (AssertionError e) {
      violation = violation == null ? e : violation;
      throw e;
    } catch (Exception e) {
      violation = violation == null ? new AssertionError(e) : violation;
      throw violation;
    } finally {
      depth--;
      note("}");
    }
  }
}
