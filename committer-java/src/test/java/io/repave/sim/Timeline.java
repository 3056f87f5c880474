package io.repave.sim;

import io.repave.core.store.Clock;
import io.repave.sim.Turns.Lane;
import io.repave.testing.ProcessDied;
import io.repave.testing.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;

/**
 * Runs several processes in virtual time, one at a time. Every request takes some milliseconds, and
 * the process that is due first continues. So many writers meet as they do on a real table: for as
 * long as their requests and pauses last. Now and then a process freezes, its heartbeat included,
 * and continues later as if nothing had happened.
 */
final class Timeline {
  /**
   * @param requestMillis the longest time of a request
   * @param freezesPerMillion how many of a million requests a process freezes before
   * @param freezeMillis the longest freeze
   * @param endMillis when everything must be over
   */
  record Pace(int requestMillis, int freezesPerMillion, int freezeMillis, long endMillis) {}

  /** A heartbeat. */
  private static final class Beat {
    private final Lane lane;
    private final long millis;
    private final Runnable task;
    private long due;

    Beat(Lane lane, long millis, long due, Runnable task) {
      this.lane = lane;
      this.millis = millis;
      this.due = due;
      this.task = task;
    }
  }

  private final SplittableRandom random;
  private final VirtualClock clock;
  private final Pace pace;
  private final Turns turns = new Turns(this::next);
  private final List<Beat> beats = new ArrayList<>();
  private boolean beating;

  Timeline(long seed, VirtualClock clock, Pace pace) {
    this.random = new SplittableRandom(seed);
    this.clock = clock;
    this.pace = pace;
  }

  /** Runs all processes to their end, or until one throws an exception. */
  void run(ExecutorService threads, List<Runnable> bodies) {
    turns.run(threads, bodies);
  }

  /** A request of the running process starts. */
  void turn() {
    if (beating) {
      return;
    }
    long pause = 1 + random.nextInt(pace.requestMillis());
    if (random.nextInt(1_000_000) < pace.freezesPerMillion()) {
      freeze(pause + random.nextInt(pace.freezeMillis()));
    } else {
      sleep(pause);
    }
  }

  /** The running process stops, and its heartbeat with it. */
  void freeze(long millis) {
    turns.running().frozenUntil = clock.tickMillis() + millis;
    sleep(millis);
  }

  void sleep(long millis) {
    turns.stopIfFailed();
    turns.running().wakesAt = clock.tickMillis() + millis;
    turns.pass();
  }

  /** Advances the time to the process that is due first, and lets hearts beat on the way. */
  private Lane next() {
    while (true) {
      Lane first = null;
      for (Lane lane : turns.lanes()) {
        if (!lane.hasEnded() && (first == null || lane.wakesAt < first.wakesAt)) {
          first = lane;
        }
      }
      if (first == null || turns.hasFailed()) {
        return first;
      }
      Beat beat = firstBeat(first.wakesAt);
      if (beat == null) {
        advanceTo(first.wakesAt);
        return first;
      }
      advanceTo(beat.due);
      run(beat);
    }
  }

  private Beat firstBeat(long before) {
    beats.removeIf(beat -> beat.lane.hasEnded());
    Beat first = null;
    for (Beat beat : beats) {
      if (beat.due < before && (first == null || beat.due < first.due)) {
        first = beat;
      }
    }
    return first;
  }

  private void run(Beat beat) {
    beat.due = Math.max(beat.due + beat.millis, beat.lane.frozenUntil + 1);
    if (clock.tickMillis() < beat.lane.frozenUntil) {
      return;
    }
    beating = true;
    try {
      beat.task.run();
    } catch (ProcessDied died) {
      beats.remove(beat);
    } catch (RuntimeException | Violation e) {
      turns.fail(e);
    } finally {
      beating = false;
    }
  }

  private void advanceTo(long millis) {
    if (millis > pace.endMillis()) {
      turns.fail(new Violation("STUCK: not over after " + millis + " ms"));
    } else if (millis > clock.tickMillis()) {
      clock.advance(millis - clock.tickMillis());
    }
  }

  /** The clock of the processes. */
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
        Timeline.this.sleep(millis);
      }

      @Override
      public Repetition every(long millis, Runnable task) {
        Beat beat = new Beat(turns.running(), millis, clock.tickMillis() + millis, task);
        beats.add(beat);
        return () -> beats.remove(beat);
      }
    };
  }
}
