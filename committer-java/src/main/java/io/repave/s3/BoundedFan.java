package io.repave.s3;

import io.repave.core.store.ParallelRunner;
import java.io.IOException;
import java.util.Iterator;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Parallelism over a pool of its own: S3A's is shared with every stream of the process and blocks
 * whoever finds it full. Threads start when needed, end when idle, and keep no JVM alive.
 *
 * <p>Callers share the threads. A call from within an action runs its items in that action's
 * thread, one after the other: waiting for the pool from inside the pool could be for ever.
 */
public final class BoundedFan implements ParallelRunner, AutoCloseable {
  private static final long IDLE_SECONDS = 30;

  private final Semaphore places;
  private final ThreadPoolExecutor threads;
  private final ThreadLocal<Boolean> isInside = ThreadLocal.withInitial(() -> false);

  /** A fan of {@code width} threads, whose names start with {@code name}. */
  public BoundedFan(String name, int width) {
    places = new Semaphore(width, true);
    AtomicInteger started = new AtomicInteger();
    // A place is taken before an item is queued, so the queue never holds more than `width`.
    threads =
        new ThreadPoolExecutor(
            width,
            width,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(width),
            work -> {
              Thread thread = new Thread(work, name + "-" + started.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  @Override
  public <T> void each(Iterator<? extends T> items, Action<T> action)
      throws IOException, InterruptedException {
    if (isInside.get()) {
      while (items.hasNext()) {
        action.run(items.next());
      }
      return;
    }
    FanRound round = new FanRound();
    try {
      while (startNext(round, items, action)) {}
    } catch (InterruptedException e) {
      round.interrupt(e);
    } catch (RuntimeException | Error e) {
      round.fail(e);
    }
    round.awaitEnd();
  }

  private <T> boolean startNext(FanRound round, Iterator<? extends T> items, Action<T> action)
      throws InterruptedException {
    // The place first, then the item: at most `width` items are in memory.
    places.acquire();
    boolean isStarted = false;
    try {
      if (round.goesOn() && items.hasNext()) {
        T item = items.next();
        Work work = new Work(round, () -> action.run(item));
        round.begin();
        isStarted = true;
        execute(work);
      }
      return isStarted;
    } finally {
      if (!isStarted) {
        places.release();
      }
    }
  }

  private void execute(Work work) {
    try {
      threads.execute(work);
    } catch (RuntimeException closed) {
      work.giveUp();
    }
  }

  /** Ends the threads. What runs is interrupted, what waits fails; {@link #each} returns then. */
  @Override
  public void close() {
    threads.shutdownNow().forEach(work -> ((Work) work).giveUp());
  }

  /** One item on its way through the pool. It gives its place back exactly once. */
  private final class Work implements Runnable {
    private final FanRound round;
    private final FanRound.Piece piece;

    Work(FanRound round, FanRound.Piece piece) {
      this.round = round;
      this.piece = piece;
    }

    @Override
    public void run() {
      isInside.set(true);
      try {
        round.run(piece);
      } finally {
        places.release();
        round.end();
      }
    }

    void giveUp() {
      round.fail(new IllegalStateException("the fan was closed while work was waiting in it"));
      places.release();
      round.end();
    }
  }
}
