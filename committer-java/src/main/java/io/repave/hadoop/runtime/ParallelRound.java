package io.repave.hadoop.runtime;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/** One call of {@link BoundedParallelRunner#each}: its running work, and its first failure. */
final class ParallelRound {
  /** One item's work. */
  @FunctionalInterface
  interface Piece {
    void run() throws IOException, InterruptedException;
  }

  private final Set<Thread> running = new HashSet<>();
  private int unfinished;
  private Throwable first;

  synchronized boolean goesOn() {
    return first == null;
  }

  synchronized void begin() {
    unfinished++;
  }

  synchronized void end() {
    unfinished--;
    notifyAll();
  }

  synchronized void fail(Throwable failure) {
    if (first == null) {
      first = failure;
    } else if (first != failure) {
      first.addSuppressed(failure);
    }
  }

  /** The caller was interrupted, so the work that it waits for is interrupted too. */
  synchronized void interrupt(InterruptedException e) {
    fail(e);
    running.forEach(Thread::interrupt);
  }

  void run(Piece piece) {
    if (!enter()) {
      return;
    }
    try {
      piece.run();
    } catch (Throwable failure) {
      fail(failure);
    } finally {
      leave();
    }
  }

  private synchronized boolean enter() {
    return first == null && running.add(Thread.currentThread());
  }

  private synchronized void leave() {
    running.remove(Thread.currentThread());
    // Clears an interrupt that was meant for this round, not for the next work of the thread.
    Thread.interrupted();
  }

  /** Waits until all started work has ended, then throws the first failure. */
  void awaitEnd() throws IOException, InterruptedException {
    boolean isInterrupted = false;
    synchronized (this) {
      while (unfinished > 0) {
        try {
          wait();
        } catch (InterruptedException e) {
          isInterrupted = true;
          interrupt(e);
        }
      }
    }
    if (isInterrupted && !(first instanceof InterruptedException)) {
      Thread.currentThread().interrupt();
    }
    rethrow(first);
  }

  /** Throws what work has thrown, as it is; nothing if it has not failed. */
  static void rethrow(Throwable first) throws IOException, InterruptedException {
    if (first instanceof IOException failure) {
      throw failure;
    }
    if (first instanceof InterruptedException failure) {
      throw failure;
    }
    if (first instanceof RuntimeException failure) {
      throw failure;
    }
    if (first instanceof Error failure) {
      throw failure;
    }
  }
}
