package io.repave.hadoop.runtime;

import io.repave.core.store.ParallelRunner;
import java.io.IOException;
import java.util.Iterator;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs actions in a thread pool of its own. S3A's pool is shared with every stream of the process
 * and blocks callers when it is full. Threads start when needed, end when idle, and do not keep the
 * JVM alive.
 *
 * <p>Callers share the threads. A call from within an action runs its items one after the other in
 * the thread of that action. An action that waits for its own pool could wait forever.
 */
public final class BoundedParallelRunner implements ParallelRunner, AutoCloseable {
  private static final long IDLE_SECONDS = 30;

  private final String name;
  private final Semaphore slots;
  private final ThreadPoolExecutor threads;
  private final ThreadLocal<Boolean> isInside = ThreadLocal.withInitial(() -> false);

  /** Runs at most {@code width} actions at once, in threads whose names start with {@code name}. */
  public BoundedParallelRunner(String name, int width) {
    this(name, width, named(name));
  }

  BoundedParallelRunner(String name, int width, ThreadFactory factory) {
    this.name = name;
    slots = new Semaphore(width, true);
    // A slot is taken before an item is queued, so the queue never holds more than `width`.
    threads =
        new ThreadPoolExecutor(
            width,
            width,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(width),
            factory);
    threads.allowCoreThreadTimeOut(true);
  }

  private static ThreadFactory named(String name) {
    AtomicInteger started = new AtomicInteger();
    return work -> {
      Thread thread = new Thread(work, name + "-" + started.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
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
    ParallelRound round = new ParallelRound();
    try {
      while (startNext(round, items, action)) {}
    } catch (InterruptedException e) {
      round.interrupt(e);
    } catch (RuntimeException | Error e) {
      round.fail(e);
    }
    round.awaitEnd();
  }

  private <T> boolean startNext(ParallelRound round, Iterator<? extends T> items, Action<T> action)
      throws InterruptedException {
    // First the slot, then the item: at most `width` items are in memory.
    slots.acquire();
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
        slots.release();
      }
    }
  }

  private void execute(Work work) {
    try {
      threads.execute(work);
    } catch (RuntimeException closed) {
      work.cancel();
    } catch (Error noThread) {
      // It may be queued nevertheless, for a thread that starts later.
      threads.remove(work);
      work.fail(noThread);
    }
  }

  @Override
  public <T> T despiteInterrupt(ParallelRunner.Work<T> work)
      throws IOException, InterruptedException {
    return isInside.get() ? work.run() : new UninterruptedWork<>(work, name).run();
  }

  /** Interrupts running actions and fails waiting ones. Each open call of {@link #each} returns. */
  @Override
  public void close() {
    threads.shutdownNow().forEach(work -> ((Work) work).cancel());
  }

  /** The work for one item. It releases its slot exactly once. */
  private final class Work implements Runnable {
    private final ParallelRound round;
    private final ParallelRound.Piece piece;

    Work(ParallelRound round, ParallelRound.Piece piece) {
      this.round = round;
      this.piece = piece;
    }

    @Override
    public void run() {
      isInside.set(true);
      try {
        round.run(piece);
      } finally {
        slots.release();
        round.end();
      }
    }

    void cancel() {
      fail(new IllegalStateException("the runner was closed while work was waiting in it"));
    }

    /** Ends work that did not run. */
    void fail(Throwable why) {
      round.fail(why);
      slots.release();
      round.end();
    }
  }
}
