package io.repave.sim;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;

/**
 * One process's store in a simulation. The scheduler may switch to another process before each
 * call; the checker looks at the world after each call, also after one that failed.
 */
final class ScheduledStore extends InterceptingStore {
  private final Runnable scheduler;
  private final Runnable checker;

  ScheduledStore(ObjectStore store, Runnable scheduler, Runnable checker) {
    super(store);
    this.scheduler = scheduler;
    this.checker = checker;
  }

  @Override
  protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
    scheduler.run();
    try {
      return run.run();
    } finally {
      check();
    }
  }

  /** What the checker cannot read is a violation; the engine may go on after an exception. */
  private void check() {
    try {
      checker.run();
    } catch (RuntimeException e) {
      throw new Violation("UNREADABLE for the checker: " + e);
    }
  }
}
