package io.repave.sim;

import io.repave.core.store.Clock;
import io.repave.testing.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;

/**
 * Runs several processes, one at a time. At each call a random number generator decides which
 * process continues, so the same seed gives the same run. Each process has a thread only because it
 * needs a stack.
 */
final class Interleaving {
  /** Ends the other processes after one has failed. */
  private static final class Stopped extends Error {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super(null, null, false, false);
    }
  }

  private static final class Lane {
    private final Semaphore go = new Semaphore(0);
    private long wakesAt;
    private boolean ended;
  }

  private final SplittableRandom random;
  private final VirtualClock clock;
  private final int stayPercent;
  private final List<Lane> lanes = new ArrayList<>();
  private final Semaphore over = new Semaphore(0);
  private Lane running;
  private volatile Throwable failure;

  Interleaving(long seed, VirtualClock clock) {
    this.random = new SplittableRandom(seed);
    this.clock = clock;
    this.stayPercent = new int[] {50, 80, 95}[random.nextInt(3)];
  }

  /** Runs all processes to their end, or until one throws an exception. */
  void run(ExecutorService threads, List<Runnable> bodies) {
    for (int i = 0; i < bodies.size(); i++) {
      lanes.add(new Lane());
    }
    for (int i = 0; i < bodies.size(); i++) {
      Lane lane = lanes.get(i);
      Runnable body = bodies.get(i);
      threads.execute(() -> live(lane, body));
    }
    handOver(next());
    over.acquireUninterruptibly();
    if (failure instanceof RuntimeException e) {
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
      failure = failure == null ? e : failure;
    }
    lane.ended = true;
    Lane next = next();
    if (next == null) {
      over.release();
    } else {
      handOver(next);
    }
  }

  /** The scheduler may switch to another process here. */
  void turn() {
    stopIfFailed();
    if (random.nextInt(100) >= stayPercent) {
      yieldTo(next());
    }
  }

  private void yieldTo(Lane next) {
    Lane self = running;
    if (next != self) {
      handOver(next);
      self.go.acquireUninterruptibly();
      stopIfFailed();
    }
  }

  private void handOver(Lane next) {
    running = next;
    next.go.release();
  }

  private void stopIfFailed() {
    if (failure != null) {
      throw new Stopped();
    }
  }

  /** Chooses an awake process. Now and then it wakes a sleeping one and advances the time. */
  private Lane next() {
    List<Lane> alive = new ArrayList<>(lanes.size());
    List<Lane> awake = new ArrayList<>(lanes.size());
    for (Lane lane : lanes) {
      if (!lane.ended) {
        alive.add(lane);
        if (lane.wakesAt <= clock.tickMillis()) {
          awake.add(lane);
        }
      }
    }
    if (alive.isEmpty()) {
      return null;
    }
    if (!awake.isEmpty() && random.nextInt(100) >= 5) {
      return awake.get(random.nextInt(awake.size()));
    }
    Lane next = alive.get(random.nextInt(alive.size()));
    long asleep = next.wakesAt - clock.tickMillis();
    if (asleep > 0) {
      clock.advance(asleep);
    }
    return next;
  }

  /** The clock of the processes. A process that sleeps lets the others run. */
  Clock clock() {
    return new Clock() {
      @Override
      public long wallMillis() {
        return clock.wallMillis();
      }

      @Override
      public long tickMillis() {
        return clock.tickMillis();
      }

      @Override
      public void sleep(long millis) {
        stopIfFailed();
        Lane self = running;
        self.wakesAt = clock.tickMillis() + millis;
        while (self.wakesAt > clock.tickMillis()) {
          yieldTo(next());
        }
      }

      @Override
      public Repetition every(long millis, Runnable task) {
        // Jobs of this simulation have no heartbeats.
        return () -> {};
      }
    };
  }
}
