package io.repave.core.store;

import java.io.IOException;
import java.util.Iterator;

/** Bounded parallelism, passed in. */
public interface ParallelRunner {
  /** One piece of work. */
  @FunctionalInterface
  interface Action<T> {
    void run(T item) throws IOException, InterruptedException;
  }

  /**
   * Runs the action for every item, a bounded number at a time, and returns when all have ended.
   * After a first failure no further item is started; the others' failures are added to it as
   * suppressed. Items are taken from the iterator one by one, by the calling thread.
   */
  <T> void each(Iterator<? extends T> items, Action<T> action)
      throws IOException, InterruptedException;
}
