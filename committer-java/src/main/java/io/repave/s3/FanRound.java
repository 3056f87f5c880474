package io.repave.s3;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/** One call of a fan: what is under way, and what failed first. */
final class FanRound {
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

  /** The caller was interrupted: so is everything that it waits for. */
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
    // An interrupt was meant for this round's work, not for what the thread does next.
    Thread.interrupted();
  }

  /** Waits until all that began has ended, then throws what failed first. */
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
    rethrow();
  }

  private void rethrow() throws IOException, InterruptedException {
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
