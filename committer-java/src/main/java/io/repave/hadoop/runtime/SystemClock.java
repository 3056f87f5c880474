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
        Timers.THREADS.scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS);
    return () -> running.cancel(false);
  }

  /**
   * A few daemon threads for all commits of this JVM, which start as they are needed. With a single
   * one, a request that hangs would stop the heartbeats of all commits, and other jobs would treat
   * them as dead.
   */
  private static final class Timers {
    static final ScheduledThreadPoolExecutor THREADS =
        new ScheduledThreadPoolExecutor(
            8,
            work -> {
              Thread thread = new Thread(work, "repave-heartbeats");
              thread.setDaemon(true);
              return thread;
            });

    static {
      THREADS.setRemoveOnCancelPolicy(true);
      THREADS.setKeepAliveTime(1, TimeUnit.MINUTES);
      THREADS.allowCoreThreadTimeOut(true);
    }
  }
}
