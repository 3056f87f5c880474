package io.repave.s3;

import com.amazonaws.event.ProgressEvent;
import com.amazonaws.event.ProgressEventType;
import com.amazonaws.event.ProgressListener;
import com.amazonaws.event.SDKProgressPublisher;
import java.util.concurrent.CountDownLatch;

/** Keeps the one thread busy in which SDK 1 calls its listeners, as a loaded machine may. */
final class BusyProgressThread implements ProgressListener, AutoCloseable {
  private final CountDownLatch over = new CountDownLatch(1);

  static AutoCloseable start() {
    BusyProgressThread busy = new BusyProgressThread();
    SDKProgressPublisher.publishProgress(busy, ProgressEventType.TRANSFER_STARTED_EVENT);
    return busy;
  }

  @Override
  public void progressChanged(ProgressEvent event) {
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    over.countDown();
  }
}
