package io.repave.core.store;

/** Time as the protocol may know it: passed in, so that simulations own it. */
public interface Clock {
  /** Wall time for people and records; nothing about safety hangs on it. */
  long wallMillis();

  /** A clock that only moves forward, for waiting and measuring. */
  long tickMillis();

  void sleep(long millis) throws InterruptedException;

  /**
   * Runs a task every so many milliseconds, in another thread, until what it returns is closed. A
   * task that takes longer than that is not run twice at once.
   */
  Repetition every(long millis, Runnable task);

  /** A running repetition. */
  interface Repetition extends AutoCloseable {
    @Override
    void close();
  }
}
