package io.repave.spark;

import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Tells the process that started this JVM how far a command is, in lines such as {@code
 * repave-progress {"step":"retire","done":250,"total":1000}}.
 */
final class ProgressLines implements Progress {
  private static final long PAUSE_NANOS = 100_000_000;

  private final PrintStream out;
  private final LongSupplier nanos;
  private Step told;
  private long toldNanos;

  ProgressLines(PrintStream out, LongSupplier nanos) {
    this.out = out;
    this.nanos = nanos;
  }

  @Override
  public synchronized void at(Step step, long done, long total) {
    long now = nanos.getAsLong();
    boolean edge = step != told || done == 0 || done >= total;
    // A line for each of a million files would cost more than the files.
    if (edge || now - toldNanos >= PAUSE_NANOS) {
      told = step;
      toldNanos = now;
      out.printf(
          Locale.ROOT,
          "repave-progress {\"step\":\"%s\",\"done\":%d,\"total\":%d}%n",
          step.label(),
          done,
          total);
    }
  }
}
