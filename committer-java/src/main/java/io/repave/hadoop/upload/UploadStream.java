package io.repave.hadoop.upload;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Objects;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;

/**
 * What a writer writes to. {@link #close} queues the last part and does not wait: the task's commit
 * does. Nothing becomes visible before the job commits, so there is nothing that {@link #hflush} or
 * {@link #hsync} could make durable: they do nothing, and the capabilities say so.
 */
public final class UploadStream extends OutputStream implements Syncable, StreamCapabilities {
  private final Transfers transfers;
  private final AttemptState state;
  private final FileUpload upload;
  private final PartBuffer buffer;
  private long position;
  private boolean closed;

  UploadStream(Transfers transfers, AttemptState state, FileUpload upload) {
    PartLimits limits = transfers.limits();
    this.transfers = transfers;
    this.state = state;
    this.upload = upload;
    buffer = new PartBuffer(transfers.memory(), limits.partBytes(), limits.spill());
  }

  /** The bytes written so far. */
  public synchronized long pos() {
    return position;
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] from, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, from.length);
    requireOpen();
    int done = 0;
    while (done < length) {
      if (buffer.room() == 0) {
        // Only now is it certain that the full part is not the last one.
        sendPart();
      }
      int step = Math.min(length - done, buffer.room());
      buffer.write(from, offset + done, step);
      done += step;
      position += step;
    }
  }

  @Override
  public void flush() throws IOException {
    requireOpen();
  }

  @Override
  public void hflush() throws IOException {
    flush();
  }

  @Override
  public void hsync() throws IOException {
    flush();
  }

  @Override
  public boolean hasCapability(String capability) {
    return false;
  }

  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      state.check(upload.at());
      upload.last(buffer.seal());
    } catch (IOException e) {
      state.fail(e);
      throw e;
    } finally {
      buffer.discard();
    }
  }

  /** Ends the stream without its last part; further writes fail. */
  synchronized void discard() {
    closed = true;
    buffer.discard();
  }

  synchronized boolean isClosed() {
    return closed;
  }

  private void sendPart() throws IOException {
    state.check(upload.at());
    PartLimits limits = transfers.limits();
    // One more must remain for what comes after this part.
    if (upload.partCount() + 1 >= limits.partsMax()) {
      IOException tooLong = new IOException(tooLong(limits));
      state.fail(tooLong);
      throw tooLong;
    }
    upload.part(buffer.seal());
  }

  private String tooLong(PartLimits limits) {
    long fits = (long) limits.partsMax() * limits.partBytes();
    return String.format(
        Locale.ROOT,
        "%s is longer than %d bytes, which is what %d parts of %d bytes hold. Set repave.part.size"
            + " to %d or more for files of up to %d bytes, or have the job write smaller files.",
        upload.at(),
        fits,
        limits.partsMax(),
        limits.partBytes(),
        4L * limits.partBytes(),
        4L * fits);
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException(upload.at() + " is closed: nothing more can be written to it.");
    }
  }
}
