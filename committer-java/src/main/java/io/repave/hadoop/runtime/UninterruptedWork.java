package io.repave.hadoop.runtime;

import io.repave.core.store.ParallelRunner;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Work in a thread of its own, so that an interrupt of its caller does not stop it: requests of a
 * thread that is interrupted fail. A second interrupt does, for a caller that must not wait.
 */
final class UninterruptedWork<T> {
  private final FutureTask<T> task;
  private final Thread thread;
  private boolean interrupted;

  UninterruptedWork(ParallelRunner.Work<T> work, String name) {
    task = new FutureTask<>(work::run);
    thread = new Thread(task, name + "-decided");
    thread.setDaemon(true);
  }

  /** Returns or throws when the work has ended, with the caller's interrupt as it came. */
  T run() throws IOException, InterruptedException {
    interrupted = Thread.interrupted();
    try {
      thread.start();
      return awaited();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private T awaited() throws IOException, InterruptedException {
    while (true) {
      try {
        return task.get();
      } catch (InterruptedException e) {
        if (interrupted) {
          thread.interrupt();
        }
        interrupted = true;
      } catch (ExecutionException e) {
        ParallelRound.rethrow(e.getCause());
        throw new AssertionError("work throws nothing else", e);
      }
    }
  }
}
