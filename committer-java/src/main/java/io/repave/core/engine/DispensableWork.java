package io.repave.core.engine;

import java.io.IOException;

/** Work that a published commit can be finished without, such as a checkpoint or a follower. */
public final class DispensableWork {
  private DispensableWork() {}

  /** The work itself. */
  @FunctionalInterface
  public interface Work<T> {
    T run() throws IOException, InterruptedException;
  }

  /**
   * Every failure is an {@code IOException}. A library may be missing on this driver, or its heap
   * too small for a version of many files. Recoveries on it would fail as well, and the commit
   * would never be finished.
   */
  public static <T> T run(Work<T> work) throws IOException, InterruptedException {
    try {
      return work.run();
    } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
      throw new IOException(e.toString(), e);
    }
  }
}
