package io.repave.hadoop.runtime;

import io.repave.core.engine.RecordFiles;
import io.repave.core.engine.Retry;
import io.repave.core.engine.RetryPolicy;
import io.repave.core.store.Clock;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The engine's {@link Retry} for Hadoop's interfaces, which declare no InterruptedException. Only
 * for requests that may be applied twice, such as the same part again, or the same file at its own
 * key again.
 */
public record RequestRetry(RetryPolicy policy) {
  private static final Clock CLOCK = new SystemClock();
  private static final String INTERRUPTED = "Interrupted while repeating a request.";

  /** Sends the request until its outcome is known, or the retry budget is spent. */
  public <T> T send(Retry.Call<T> request) throws IOException {
    return send(request, new CountDownLatch(1));
  }

  /** Does the same, but sends nothing and does not wait any more once {@code stopped} is open. */
  public <T> T send(Retry.Call<T> request, CountDownLatch stopped) throws IOException {
    Retry retry = new Retry(policy, new StoppableClock(stopped), RequestRetry::nonce);
    try {
      return InterruptibleCall.run(
          INTERRUPTED,
          () ->
              retry.known(
                  () -> {
                    refuseIfOpen(stopped);
                    return request.run();
                  }));
    } catch (StoreException e) {
      if (stopped.getCount() == 0) {
        throw (IOException)
            new InterruptedIOException("The task attempt was aborted or has failed.").initCause(e);
      }
      throw e;
    }
  }

  /**
   * Writes a record unless one exists: {@link RecordFiles#putNew}. Returns the existing one, which
   * an earlier try of this call may have written.
   */
  public Optional<byte[]> putNew(ObjectStore store, Location at, byte[] content)
      throws IOException {
    RecordFiles records = new RecordFiles(store, new Retry(policy, CLOCK, RequestRetry::nonce));
    return InterruptibleCall.run(INTERRUPTED, () -> records.putNew(at, content));
  }

  private static void refuseIfOpen(CountDownLatch stopped) throws StoreException {
    if (stopped.getCount() == 0) {
      throw new StoreException(
          StoreException.Kind.INVALID,
          "The request was not sent, because the task attempt has ended.");
    }
  }

  private static String nonce() {
    return Long.toHexString(ThreadLocalRandom.current().nextLong());
  }

  /** A clock whose pauses end early when a latch opens. */
  private record StoppableClock(CountDownLatch stopped) implements Clock {
    @Override
    public long wallMillis() {
      return CLOCK.wallMillis();
    }

    @Override
    public long tickMillis() {
      return CLOCK.tickMillis();
    }

    @Override
    public void sleep(long millis) throws InterruptedException {
      stopped.await(millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public Repetition every(long millis, Runnable task) {
      return CLOCK.every(millis, task);
    }
  }
}
