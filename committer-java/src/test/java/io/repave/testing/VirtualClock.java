package io.repave.testing;

import io.repave.core.store.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** Time that passes only when a process sleeps or a test advances it. */
public final class VirtualClock implements Clock {
  /** 2026-11-21T00:00:00Z. */
  public static final long START_MILLIS = 1_795_219_200_000L;

  private final List<LongConsumer> hooks = new ArrayList<>(1);
  private long ticks;

  /** Calls the hook with the new tick whenever time advances. */
  public synchronized void onAdvance(LongConsumer hook) {
    hooks.add(hook);
  }

  @Override
  public synchronized long wallMillis() {
    return START_MILLIS + ticks;
  }

  @Override
  public synchronized long tickMillis() {
    return ticks;
  }

  @Override
  public void sleep(long millis) {
    advance(millis);
  }

  /** Runs the task whenever it is due, in the thread that advances the time. */
  @Override
  public Repetition every(long millis, Runnable task) {
    Repeated repetition = new Repeated(millis, tickMillis() + millis, task);
    onAdvance(repetition);
    return () -> {
      synchronized (this) {
        hooks.remove(repetition);
      }
    };
  }

  private static final class Repeated implements LongConsumer {
    private final long millis;
    private final Runnable task;
    private long next;

    Repeated(long millis, long next, Runnable task) {
      this.millis = millis;
      this.next = next;
      this.task = task;
    }

    @Override
    public void accept(long now) {
      if (now >= next) {
        next = now + millis;
        task.run();
      }
    }
  }

  public void advance(long millis) {
    if (millis < 0) {
      throw new IllegalArgumentException("time does not go back: " + millis + " ms");
    }
    long now;
    synchronized (this) {
      ticks += millis;
      now = ticks;
    }
    // Outside the lock: a hook delivers requests, and a store reads this clock.
    for (LongConsumer hook : List.copyOf(hooks)) {
      hook.accept(now);
    }
  }
}
