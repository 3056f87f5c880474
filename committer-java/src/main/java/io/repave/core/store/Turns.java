package io.repave.core.store;

/**
 * Lets threads of one process take turns, in the order in which they ask. Turns save lost races;
 * safety does not depend on them.
 */
public interface Turns {
  /** For a process that does not let its threads take turns: everybody has a turn at once. */
  Turns NONE = () -> new Turn(false, () -> {});

  /**
   * Waits until no other thread has a turn, but for a limited time only: a thread whose request
   * hangs delays the others once. Close the turn to end it.
   */
  Turn take() throws InterruptedException;

  /** {@code waited} is true if another thread had its turn when this one asked. */
  record Turn(boolean waited, Runnable end) implements AutoCloseable {
    @Override
    public void close() {
      end.run();
    }
  }
}
