package io.repave.hadoop.runtime;

import io.repave.core.store.Turns;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Turns of the threads of this JVM. A thread that waited too long continues without a turn. */
public final class FairTurns implements Turns {
  /** Longer than a hundred swaps take; shorter than a connection that hangs. */
  private static final long MILLIS_MAX = 10_000;

  private final Semaphore free = new Semaphore(1, true);
  private final long millisMax;

  public FairTurns() {
    this(MILLIS_MAX);
  }

  FairTurns(long millisMax) {
    this.millisMax = millisMax;
  }

  @Override
  public Turn take() throws InterruptedException {
    // Unlike tryAcquire() without a time, this one does not overtake threads that wait.
    boolean atOnce = free.tryAcquire(0, TimeUnit.MILLISECONDS);
    boolean mine = atOnce || free.tryAcquire(millisMax, TimeUnit.MILLISECONDS);
    return new Turn(!atOnce, mine ? free::release : () -> {});
  }
}
