package io.repave.testing;

import io.repave.core.store.ParallelRunner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Runs items in one thread. Shuffled, it takes as many items as a runner of that width does, and
 * runs them in a random order; items taken before a failure may still run after it.
 */
public final class SequentialRunner implements ParallelRunner {
  private final int width;
  private final SplittableRandom random;

  /** Runs the items in their order. */
  public SequentialRunner() {
    this(1, 0);
  }

  private SequentialRunner(int width, long seed) {
    this.width = width;
    this.random = new SplittableRandom(seed);
  }

  public static SequentialRunner shuffled(int width, long seed) {
    return new SequentialRunner(width, seed);
  }

  @Override
  public <T> void each(Iterator<? extends T> items, Action<T> action)
      throws IOException, InterruptedException {
    if (width == 1) {
      while (items.hasNext()) {
        action.run(items.next());
      }
      return;
    }
    List<T> taken = new ArrayList<>(width);
    while (items.hasNext() || !taken.isEmpty()) {
      while (taken.size() < width && items.hasNext()) {
        taken.add(items.next());
      }
      T item = taken.remove(random.nextInt(taken.size()));
      try {
        action.run(item);
      } catch (IOException | RuntimeException failed) {
        finish(taken, action, failed);
        throw failed;
      }
    }
  }

  private <T> void finish(List<T> taken, Action<T> action, Exception failed)
      throws InterruptedException {
    for (T item : taken) {
      if (random.nextBoolean()) {
        try {
          action.run(item);
        } catch (IOException | RuntimeException also) {
          failed.addSuppressed(also);
        }
      }
    }
  }
}
