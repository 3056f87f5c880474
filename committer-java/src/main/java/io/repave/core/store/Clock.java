package io.repave.core.store;

/** Time as the protocol may know it: passed in, so that simulations own it. */
public interface Clock {
  /** Wall time for people and records; nothing about safety hangs on it. */
  long wallMillis();

  /** A clock that only moves forward, for waiting and measuring. */
  long tickMillis();

  void sleep(long millis) throws InterruptedException;
}
