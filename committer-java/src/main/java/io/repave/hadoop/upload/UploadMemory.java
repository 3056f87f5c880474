package io.repave.hadoop.upload;

import java.io.InterruptedIOException;

/**
 * The bytes that all open streams of a JVM may hold together.
 *
 * <p>Bytes are in one of two states. <em>Held</em> bytes wait in a stream for the writer to go on:
 * nobody else can make them come back. <em>Moving</em> bytes belong to a queued upload and come
 * back by themselves, since every upload ends. So a stream waits only while something moves; when
 * nothing does, it is told no, and puts its part on local disk instead. Nobody can wait for ever,
 * even when one thread feeds a thousand open files.
 *
 * <p>The size of the largest part stays free of held bytes, so that a part on disk can always be
 * read back and sent.
 */
public final class UploadMemory {
  private final long limitBytes;
  private long reserveBytes;
  private long held;
  private long moving;
  private long peak;

  public UploadMemory(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Keeps room for sending one part of this size. */
  synchronized void reserve(long partBytes) {
    if (2 * partBytes > limitBytes) {
      throw new IllegalArgumentException(
          "The upload memory of this JVM is "
              + limitBytes
              + " bytes, less than two parts of "
              + partBytes
              + ". Raise repave.upload.memory or lower repave.part.size.");
    }
    reserveBytes = Math.max(reserveBytes, partBytes);
  }

  /** Takes bytes for a stream. False when there are none and none are on their way back. */
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

  /** Takes bytes for an upload that starts now: they count as moving, and may use the reserve. */
  synchronized void takeMoving(long bytes) throws InterruptedIOException {
    while (held + moving + bytes > limitBytes && moving > 0) {
      pause();
    }
    moving += bytes;
    peak = Math.max(peak, held + moving);
  }

  /** What a stream held now belongs to an upload. */
  synchronized void move(long bytes) {
    held -= bytes;
    moving += bytes;
    // A stream that waited may find that waiting has become worthwhile, or the other way round.
    notifyAll();
  }

  synchronized void giveHeld(long bytes) {
    held -= bytes;
    notifyAll();
  }

  synchronized void giveMoving(long bytes) {
    moving -= bytes;
    notifyAll();
  }

  /** The bytes that are taken now. */
  public synchronized long usedBytes() {
    return held + moving;
  }

  /** The most bytes that were ever taken at once. */
  public synchronized long peakBytes() {
    return peak;
  }

  public long limitBytes() {
    return limitBytes;
  }

  private void pause() throws InterruptedIOException {
    try {
      wait();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while waiting for upload memory.");
    }
  }
}
