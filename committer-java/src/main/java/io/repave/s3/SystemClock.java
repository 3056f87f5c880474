package io.repave.s3;

import io.repave.core.store.Clock;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** This machine's time. */
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

  /** One thread for all commits of this JVM, started with the first one. It keeps no JVM alive. */
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
