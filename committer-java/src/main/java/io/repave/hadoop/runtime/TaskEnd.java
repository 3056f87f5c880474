package io.repave.hadoop.runtime;

import java.io.IOException;

/**
 * The end of the engine's task that a thread works for. An engine's integration implements it, and
 * Java's ServiceLoader finds it.
 */
@FunctionalInterface
public interface TaskEnd {
  /** What runs at the end of a task. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException;
  }

  /** Runs work when the task of this thread ends, however it does. Nothing outside of a task. */
  void await(Work work);
}
