package io.repave.core.store;

/** The time; it is passed in, so that a simulation can control it. */
public interface Clock {
  /** Wall time, for people and records; safety does not depend on it. */
  long wallMillis();

  /** A clock that only moves forward, for waits and measurements. */
  long tickMillis();

  void sleep(long millis) throws InterruptedException;

  /**
   * Runs a task at an interval, in another thread, until the result is closed. Runs of a task that
   * takes longer than the interval do not overlap.
   */
  Repetition every(long millis, Runnable task);

  /** A running repetition. */
  interface Repetition extends AutoCloseable {
    @Override
    void close();
  }
}
