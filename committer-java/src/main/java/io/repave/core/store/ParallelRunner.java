package io.repave.core.store;

import java.io.IOException;
import java.util.Iterator;

/** Runs actions in parallel, a bounded number at a time; it is passed in. */
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
}
