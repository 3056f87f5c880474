package io.repave.testing;

import io.repave.core.store.ParallelRunner;
import java.io.IOException;
import java.util.Iterator;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/** Runs items in threads, which end with the call. */
public final class ThreadedRunner implements ParallelRunner {
  private final int width;

  public ThreadedRunner(int width) {
    this.width = width;
  }

  @Override
  public <T> void each(Iterator<? extends T> items, Action<T> action)
      throws IOException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(width);
    Semaphore free = new Semaphore(width);
    AtomicReference<Throwable> first = new AtomicReference<>();
    try {
      // A place is taken before the item: at most `width` items are in memory.
      for (free.acquire(); first.get() == null && items.hasNext(); free.acquire()) {
        T item = items.next();
        threads.execute(
            () -> {
              try {
                action.run(item);
              } catch (Throwable failed) {
                keep(first, failed);
              } finally {
                free.release();
              }
            });
      }
      free.release();
      free.acquire(width);
    } finally {
      threads.shutdown();
    }
    rethrow(first.get());
  }

  private static void keep(AtomicReference<Throwable> first, Throwable failed) {
    if (!first.compareAndSet(null, failed) && first.get() != failed) {
      first.get().addSuppressed(failed);
    }
  }

  /** Throws what work has thrown, as it is; nothing if it has not failed. */
  public static void rethrow(Throwable failed) throws IOException, InterruptedException {
    if (failed instanceof IOException io) {
      throw io;
    }
    if (failed instanceof InterruptedException interrupted) {
      throw interrupted;
    }
    if (failed instanceof RuntimeException wrong) {
      throw wrong;
    }
    if (failed instanceof Error error) {
      throw error;
    }
  }
}
