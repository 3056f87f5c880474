package io.repave.hadoop.upload;

import io.repave.core.store.Location;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Whether a task attempt can still succeed. The first failure of any file ends the attempt. */
final class AttemptState {
  private final AtomicReference<Throwable> cause = new AtomicReference<>();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final CountDownLatch undoGivenUp = new CountDownLatch(1);

  void fail(Throwable failure) {
    cause.compareAndSet(null, failure);
    stopped.countDown();
  }

  /** Aborts the attempt: no further request is sent for it. */
  void abort() {
    fail(UploadErrors.aborted());
  }

  /** Opens when a request that undoes a file has spent its budget: then no other is sent. */
  CountDownLatch undoGivenUp() {
    return undoGivenUp;
  }

  /** Opens when the attempt can no longer succeed. */
  CountDownLatch stopped() {
    return stopped;
  }

  /** Throws the first failure, reported for the given file or table. */
  void check(Location file) throws IOException {
    Throwable first = cause.get();
    if (first != null) {
      throw UploadErrors.attemptFailed(file, first);
    }
  }
}
