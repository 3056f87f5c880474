package io.repave.spark.command;

import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Reports the progress of a command to the process that started this JVM, in lines such as {@code
 * repave-progress {"step":"retire","done":250,"total":1000}}.
 */
final class ProgressLines implements Progress {
  private static final long PAUSE_NANOS = 100_000_000;

  private final PrintStream out;
  private final LongSupplier nanos;
  private Step reported;
  private long reportedNanos;

  ProgressLines(PrintStream out, LongSupplier nanos) {
    this.out = out;
    this.nanos = nanos;
  }

  @Override
  public synchronized void at(Step step, long done, long total) {
    long now = nanos.getAsLong();
    boolean edge = step != reported || done == 0 || done >= total;
    // A line for each of a million files would take longer than the files.
    if (edge || now - reportedNanos >= PAUSE_NANOS) {
      reported = step;
      reportedNanos = now;
      // In one piece, because a log may go to the same place.
      out.print(
          String.format(
              Locale.ROOT,
              "repave-progress {\"step\":\"%s\",\"done\":%d,\"total\":%d}%n",
              step.label(),
              done,
              total));
    }
  }
}
