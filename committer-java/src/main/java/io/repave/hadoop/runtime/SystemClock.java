package io.repave.hadoop.runtime;

import io.repave.core.store.Clock;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The time of this machine. */
public final class SystemClock implements Clock {
  @Override
  public long wallMillis() {
    return System.currentTimeMillis();
  }

  @Override
  public long tickMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  @Override
  public void sleep(long millis) throws InterruptedException {
    Thread.sleep(millis);
  }

  @Override
  public Repetition every(long millis, Runnable task) {
    ScheduledFuture<?> running =
        Timers.THREAD.scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS);
    return () -> running.cancel(false);
  }

  /** One daemon thread for all commits of this JVM. It starts with the first commit. */
  private static final class Timers {
    static final ScheduledThreadPoolExecutor THREAD =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "repave-heartbeats");
              thread.setDaemon(true);
              return thread;
            });

    static {
      THREAD.setRemoveOnCancelPolicy(true);
    }
  }
}
