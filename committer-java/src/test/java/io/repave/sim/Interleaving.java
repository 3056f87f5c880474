package io.repave.sim;

import io.repave.core.store.Clock;
import io.repave.sim.Turns.Lane;
import io.repave.testing.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;

/**
 * Runs several processes, one at a time. At each call a random number generator decides which
 * process continues, so the same seed gives the same run.
 */
final class Interleaving {
  private final SplittableRandom random;
  private final VirtualClock clock;
  private final int stayPercent;
  private final Turns turns = new Turns(this::next);

  Interleaving(long seed, VirtualClock clock) {
    this.random = new SplittableRandom(seed);
    this.clock = clock;
    this.stayPercent = new int[] {50, 80, 95}[random.nextInt(3)];
  }

  /** Runs all processes to their end, or until one throws an exception. */
  void run(ExecutorService threads, List<Runnable> bodies) {
    turns.run(threads, bodies);
  }

  /** The scheduler may switch to another process here. */
  void turn() {
    turns.stopIfFailed();
    if (random.nextInt(100) >= stayPercent) {
      turns.pass();
    }
  }

  /** Chooses an awake process. Now and then it wakes a sleeping one and advances the time. */
  private Lane next() {
    List<Lane> alive = new ArrayList<>();
    List<Lane> awake = new ArrayList<>();
    for (Lane lane : turns.lanes()) {
      if (!lane.hasEnded()) {
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
        turns.stopIfFailed();
        Lane self = turns.running();
        self.wakesAt = clock.tickMillis() + millis;
        while (self.wakesAt > clock.tickMillis()) {
          turns.pass();
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
