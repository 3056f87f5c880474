package io.repave.core.store;

import java.io.IOException;
import java.util.Iterator;

/** Runs actions: many in parallel, or one that an interrupt must not stop; it is passed in. */
public interface ParallelRunner {
  /** The action for one item. */
  @FunctionalInterface
  interface Action<T> {
    void run(T item) throws IOException, InterruptedException;
  }

  /**
   * Runs the action for every item, a bounded number at a time, and returns when all have ended.
   * After the first failure no further item is started; failures of others are added to it as
   * suppressed. The calling thread takes the items from the iterator, one by one.
   */
  <T> void each(Iterator<? extends T> items, Action<T> action)
      throws IOException, InterruptedException;

  /** Work with a result. */
  @FunctionalInterface
  interface Work<T> {
    T run() throws IOException, InterruptedException;
  }

  /**
   * Runs work that should not stop halfway. A runner with threads keeps the first interrupt of the
   * calling thread until the work has ended, and passes a second one on to the work.
   */
  default <T> T despiteInterrupt(Work<T> work) throws IOException, InterruptedException {
    return work.run();
  }
}
