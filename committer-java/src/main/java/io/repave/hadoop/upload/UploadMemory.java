package io.repave.hadoop.upload;

import java.io.InterruptedIOException;

/**
 * The bytes that all open streams of a JVM may use together.
 *
 * <p>Bytes are in one of two states. <em>Held</em> bytes are in a stream, and only its writer can
 * free them. <em>Moving</em> bytes belong to a queued upload, which frees them when it ends. A
 * stream waits only while bytes are moving. Otherwise its request is refused, and it moves its part
 * to local disk. So no thread waits forever, even when one thread writes a thousand open files.
 *
 * <p>Held bytes never take the size of the largest part, so that a part on disk can always be read
 * back and sent. If a job with larger parts begins while smaller ones fill the memory, one part may
 * exceed the limit.
 */
public final class UploadMemory {
  private final long limitBytes;
  private long reserveBytes;
  private long held;
  private long moving;

  /** Those of the moving bytes that parts on disk took to be sent. */
  private long loaded;

  private long peak;

  public UploadMemory(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Keeps room for sending one part of this size. */
  synchronized void reserve(long partBytes) {
    if (2 * partBytes > limitBytes) {
      throw UploadErrors.memoryTooSmall(limitBytes, partBytes);
    }
    reserveBytes = Math.max(reserveBytes, partBytes);
  }

  /** Takes bytes for a stream. False when too few are free and no upload will free some. */
  synchronized boolean take(long bytes) throws InterruptedIOException {
    while (held + moving + bytes > limitBytes - reserveBytes) {
      if (moving == 0) {
        return false;
      }
      pause();
    }
    held += bytes;
    peak = Math.max(peak, held + moving);
    return true;
  }

  /**
   * Takes bytes for a part on disk that is sent now. They count as moving and may use the reserve.
   * It waits only for other such parts: queued parts may wait for the thread that waits here.
   */
  synchronized void takeLoaded(long bytes) throws InterruptedIOException {
    while (held + moving + bytes > limitBytes && loaded > 0) {
      pause();
    }
    loaded += bytes;
    moving += bytes;
    peak = Math.max(peak, held + moving);
  }

  /** Turns held bytes of a stream into moving bytes of an upload. */
  synchronized void move(long bytes) {
    held -= bytes;
    moving += bytes;
    // A waiting stream must check again whether any bytes are moving.
    notifyAll();
  }

  synchronized void giveHeld(long bytes) {
    held -= bytes;
    notifyAll();
  }

  /** Gives back what {@link #takeLoaded} took. */
  synchronized void giveLoaded(long bytes) {
    loaded -= bytes;
    giveMoving(bytes);
  }

  synchronized void giveMoving(long bytes) {
    moving -= bytes;
    notifyAll();
  }

  /** The number of bytes in use. */
  public synchronized long usedBytes() {
    return held + moving;
  }

  /** The most bytes that were ever in use at once. */
  public synchronized long peakBytes() {
    return peak;
  }

  private void pause() throws InterruptedIOException {
    try {
      wait();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw UploadErrors.interruptedInMemory();
    }
  }
}
