package io.repave.core.engine;

import io.repave.core.store.Clock;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.util.function.Supplier;

/** Repeats calls of the store; the clock and the randomness are passed in. */
public final class Retry {
  private final RetryPolicy policy;
  private final Clock clock;
  private final Supplier<String> nonces;

  public Retry(RetryPolicy policy, Clock clock, Supplier<String> nonces) {
    this.policy = policy;
    this.clock = clock;
    this.nonces = nonces;
  }

  /** One request. */
  @FunctionalInterface
  public interface Call<T> {
    T run() throws StoreException;
  }

  /**
   * Repeats a read, or an idempotent write, until its outcome is known. Throws the last exception
   * when the outcome is a failure or the budget is spent.
   */
  public <T> T known(Call<T> call) throws StoreException, InterruptedException {
    Attempts attempts = begin();
    while (true) {
      try {
        return call.run();
      } catch (StoreException e) {
        if (e.kind() != Kind.UNKNOWN || !attempts.pause()) {
          throw e;
        }
      }
    }
  }

  /** Until when a write of the head that got no answer may still be applied. */
  long lateUntilMillis() {
    return clock.tickMillis() + policy.lateMillis();
  }

  /** Waits until a time of the clock's ticks; returns how long it waited. */
  long awaitTick(long untilMillis) throws InterruptedException {
    long now = clock.tickMillis();
    if (untilMillis <= now) {
      return 0;
    }
    clock.sleep(untilMillis - now);
    return untilMillis - now;
  }

  public Attempts begin() {
    return new Attempts();
  }

  /** The pauses of one swap that other processes win. */
  public Races races() {
    return new Races();
  }

  /**
   * When another process wins a swap, it has made progress, so this is no outage: the swap is tried
   * again soon, and as long as others win. The pauses are drawn from a range that doubles up to a
   * tenth of the longest pause of an outage, so that many processes spread out.
   */
  public final class Races {
    private static final int DOUBLINGS_MAX = 20;

    private int lost;

    public void pause() throws InterruptedException {
      lost++;
      long most = Math.max(1, policy.mostMillis() / 10);
      long range = Math.max(1, policy.firstMillis() / 4) << Math.min(lost, DOUBLINGS_MAX);
      clock.sleep(1 + chance(Math.min(most, range)));
    }
  }

  /**
   * The tries of one request. The budget begins with the first failure: before it, the caller may
   * have waited for other commits, or this process may have been frozen.
   */
  public final class Attempts {
    private long failedSinceMillis;
    private int failed;

    /** Leaves a wait out of the budget, which would leave no time for another try. */
    void leaveOut(long waitedMillis) {
      failedSinceMillis += waitedMillis;
    }

    /** Waits before the next try; false when no try is left. */
    public boolean pause() throws InterruptedException {
      if (failed == 0) {
        failedSinceMillis = clock.tickMillis();
      }
      failed++;
      long spent = clock.tickMillis() - failedSinceMillis;
      long doubled = policy.firstMillis() << Math.min(failed - 1, 30);
      long pause = Math.min(policy.mostMillis(), doubled);
      // Do not wait when the pause would end after the budget.
      if (failed >= policy.attempts() || spent + pause > policy.budgetMillis()) {
        return false;
      }
      clock.sleep(pause - chance(pause / 2 + 1));
      return true;
    }
  }

  private long chance(long below) {
    return Math.floorMod(nonces.get().hashCode(), below);
  }
}
