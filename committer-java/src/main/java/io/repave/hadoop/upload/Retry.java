package io.repave.hadoop.upload;

import io.repave.core.engine.RetryPolicy;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Repeats a request whose outcome is unknown until the budget is used up. Only for requests that
 * may be applied twice: the same part again, the same file at its own key again.
 */
public record Retry(RetryPolicy policy) {

  /** A request that may be sent again. */
  public interface Request<T> {
    T send() throws IOException;
  }

  /** Sends until there is an answer, or the budget is spent. */
  public <T> T send(Request<T> request) throws IOException {
    return send(request, new CountDownLatch(1));
  }

  /** Sends until there is an answer, the budget is spent, or {@code stopped} opens. */
  public <T> T send(Request<T> request, CountDownLatch stopped) throws IOException {
    long start = System.nanoTime();
    long pauseMillis = policy.firstMillis();
    int left = policy.attempts();
    while (true) {
      if (stopped.getCount() == 0) {
        throw new InterruptedIOException("The write was given up.");
      }
      try {
        return request.send();
      } catch (StoreException e) {
        left--;
        long spentMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        boolean spent = left <= 0 || spentMillis + pauseMillis > policy.budgetMillis();
        if (e.kind() != StoreException.Kind.UNKNOWN || spent) {
          throw e;
        }
      }
      pause(ThreadLocalRandom.current().nextLong(pauseMillis / 2, pauseMillis + 1), stopped);
      pauseMillis = Math.min(policy.mostMillis(), 2 * pauseMillis);
    }
  }

  private static void pause(long millis, CountDownLatch stopped) throws IOException {
    try {
      stopped.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted between two tries of a request.");
    }
  }
}
