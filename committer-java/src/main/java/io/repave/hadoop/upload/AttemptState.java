package io.repave.hadoop.upload;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Whether an attempt may still succeed. The first failure of any of its files ends all of them. */
final class AttemptState {
  private final AtomicReference<Throwable> cause = new AtomicReference<>();
  private final CountDownLatch stopped = new CountDownLatch(1);

  void fail(Throwable failure) {
    cause.compareAndSet(null, failure);
    stopped.countDown();
  }

  /** Ends the attempt without a failure of its own: no further request is sent for it. */
  void giveUp() {
    fail(new InterruptedIOException("The task attempt was aborted."));
  }

  /** Opens when the attempt can no longer succeed. */
  CountDownLatch stopped() {
    return stopped;
  }

  /** Throws the first failure, named after the file on which it is noticed. */
  void check(Object file) throws IOException {
    Throwable first = cause.get();
    if (first != null) {
      throw new IOException(
          "Writing " + file + " cannot go on, because of: " + first.getMessage(), first);
    }
  }
}
