package io.repave.spark.bridge;

import io.repave.hadoop.runtime.HeldInterrupt;
import java.time.Duration;

/** Work that goes on in a thread of its own when its caller has waited long enough. */
public final class LimitedWait {
  private LimitedWait() {}

  /**
   * Runs the work in a new thread, which inherits the session and the user of this one. True if it
   * has ended within the limit. An interrupt ends the wait and not the work.
   */
  public static boolean run(String name, Duration limit, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    try (HeldInterrupt stopped = HeldInterrupt.ofThread()) {
      thread.join(limit.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
