package io.repave.testing;

import java.util.concurrent.Callable;

/** Runs code that throws checked exceptions in a hook, which may not. A failure fails the test. */
public final class Unchecked {
  private Unchecked() {}

  /** Code without a result. */
  @FunctionalInterface
  public interface Action {
    void run() throws Exception;
  }

  public static void run(Action action) {
    call(
        () -> {
          action.run();
          return null;
        });
  }

  public static <T> T call(Callable<T> action) {
    try {
      return action.call();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
