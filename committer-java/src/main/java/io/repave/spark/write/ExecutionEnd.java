package io.repave.spark.write;

import io.repave.core.engine.StopSignal;
import java.util.Optional;

/**
 * Whether the execution of a write has ended while the write still runs, because the thread that
 * waits for it was stopped. Spark 4 runs the last stage of an adaptive plan, and with it a whole
 * write after a shuffle, in a thread of its own: an interrupt of the statement's thread does not
 * reach it. That thread ends the execution when it stops, so Spark no longer knows its number.
 */
public record ExecutionEnd(RunningQueries running) implements StopSignal {
  /** The threads of last stages have this name and a number. */
  private static final String LAST_STAGE = "ResultQueryStageExecution";

  /** The end of the execution in which this thread writes. Call it when a write begins. */
  public static StopSignal ofThread() {
    Optional<RunningQueries> running = RunningQueries.ofThread();
    return running.isPresent() && isKnown(running.get())
        ? new ExecutionEnd(running.get())
        : StopSignal.NEVER;
  }

  /**
   * A thread of a program may have the number of an execution that ended long ago. In the thread of
   * a last stage the number is always that of the statement, even if it was stopped before this
   * write began.
   */
  private static boolean isKnown(RunningQueries running) {
    return running.writing().isPresent() || Thread.currentThread().getName().startsWith(LAST_STAGE);
  }

  @Override
  public boolean isGiven() {
    return running.writing().isEmpty();
  }
}
