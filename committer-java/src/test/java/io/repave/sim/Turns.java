package io.repave.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Lets one of several processes run at a time. Each process has a thread only because it needs a
 * stack. Who runs next is decided by the schedule that owns this.
 */
final class Turns {
  /** Ends the other processes after one has failed. */
  private static final class Stopped extends Error {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super(null, null, false, false);
    }
  }

  /** One process. */
  static final class Lane {
    private final Semaphore go = new Semaphore(0);
    private boolean ended;
    long wakesAt;
    long frozenUntil;

    boolean hasEnded() {
      return ended;
    }
  }

  private final Supplier<Lane> next;
  private final List<Lane> lanes = new ArrayList<>();
  private final Semaphore over = new Semaphore(0);
  private Lane running;
  private volatile Throwable failure;

  /** {@code next} chooses a process that has not ended; {@code null} when all have. */
  Turns(Supplier<Lane> next) {
    this.next = next;
  }

  /** Runs all processes to their end, or until one throws an exception. */
  void run(ExecutorService threads, List<Runnable> bodies) {
    for (Runnable body : bodies) {
      Lane lane = new Lane();
      lanes.add(lane);
      threads.execute(() -> live(lane, body));
    }
    handOver(next.get());
    over.acquireUninterruptibly();
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }

  private void live(Lane lane, Runnable body) {
    lane.go.acquireUninterruptibly();
    try {
      stopIfFailed();
      body.run();
    } catch (Stopped stopped) {
      // Another process failed. This one ends.
    } catch (Throwable e) {
      fail(e);
    }
    lane.ended = true;
    Lane successor = next.get();
    if (successor == null) {
      over.release();
    } else {
      handOver(successor);
    }
  }

  List<Lane> lanes() {
    return lanes;
  }

  Lane running() {
    return running;
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Keeps the first failure, which {@link #run} throws. */
  void fail(Throwable e) {
    failure = failure == null ? e : failure;
  }

  /** Lets the chosen process run; returns when the running one is chosen again. */
  void pass() {
    Lane self = running;
    Lane successor = next.get();
    if (successor != self) {
      handOver(successor);
      self.go.acquireUninterruptibly();
    }
    stopIfFailed();
  }

  private void handOver(Lane successor) {
    running = successor;
    successor.go.release();
  }

  void stopIfFailed() {
    if (failure != null) {
      throw new Stopped();
    }
  }
}
