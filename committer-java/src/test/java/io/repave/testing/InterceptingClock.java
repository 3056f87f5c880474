package io.repave.testing;

import io.repave.core.store.Clock;

/** Passes every call on to another clock. A test overrides what differs for its process. */
public class InterceptingClock implements Clock {
  private final Clock target;

  protected InterceptingClock(Clock target) {
    this.target = target;
  }

  @Override
  public long wallMillis() {
    return target.wallMillis();
  }

  @Override
  public long tickMillis() {
    return target.tickMillis();
  }

  @Override
  public void sleep(long millis) throws InterruptedException {
    target.sleep(millis);
  }

  @Override
  public Repetition every(long millis, Runnable task) {
    return target.every(millis, task);
  }
}
