package io.repave.hadoop.upload;

import io.repave.hadoop.footer.ParquetFooter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;

/**
 * The stream of a file's writer. {@link #close} queues the last part and does not wait for it; the
 * commit of the task does. Nothing becomes visible before the job commits, so {@link #hflush} and
 * {@link #hsync} do nothing, and the capabilities say so.
 */
public final class UploadStream extends OutputStream implements Syncable, StreamCapabilities {
  private final UploadResources resources;
  private final AttemptState state;
  private final FileUpload upload;
  private final PartBuffer buffer;
  private final PassingFile content;
  private long position;
  private boolean closed;

  UploadStream(UploadResources resources, AttemptState state, FileUpload upload) {
    PartLimits limits = resources.limits();
    this.resources = resources;
    this.state = state;
    this.upload = upload;
    content = new PassingFile(resources.wanted());
    buffer = new PartBuffer(resources.memory(), limits.partBytes(), limits.spill());
  }

  /** The number of bytes written so far. */
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
    try {
      fill(from, offset, length);
    } catch (IOException | RuntimeException | Error e) {
      // The file lacks these bytes, and its writer may keep quiet about it.
      state.fail(e);
      throw e;
    }
  }

  private void fill(byte[] from, int offset, int length) throws IOException {
    int done = 0;
    while (done < length) {
      if (buffer.room() == 0) {
        // More bytes follow, so the full part is not the last one.
        sendPart();
      }
      int step = Math.min(length - done, buffer.room());
      buffer.write(from, offset + done, step);
      done += step;
      position += step;
    }
  }

  /** Also after {@link #close}, as in S3A and HDFS: some writers flush each time they close. */
  @Override
  public void flush() {
    // A part is sent when it is full.
  }

  @Override
  public void hflush() throws IOException {
    requireOpen();
  }

  @Override
  public void hsync() throws IOException {
    requireOpen();
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
      Part last = buffer.seal();
      ParquetFooter.Content found = content.last(last);
      if (found.disorder().isPresent()) {
        last.release();
        throw UploadErrors.notInOrder(
            upload.at(), resources.wanted().order(), found.disorder().get());
      }
      upload.last(last, found.facts());
    } catch (IOException | RuntimeException | Error e) {
      state.fail(e);
      throw e;
    } finally {
      content.release();
      buffer.discard();
    }
  }

  /** Closes the stream without sending its last part. Further writes fail. */
  synchronized void discard() {
    closed = true;
    content.release();
    buffer.discard();
  }

  synchronized boolean isClosed() {
    return closed;
  }

  private void sendPart() throws IOException {
    state.check(upload.at());
    PartLimits limits = resources.limits();
    // At least one more part follows this one.
    if (upload.partCount() + 1 >= limits.partsMax()) {
      throw UploadErrors.tooLong(upload.at(), limits);
    }
    Part part = buffer.seal();
    content.part(part);
    upload.part(part);
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw UploadErrors.closed(upload.at());
    }
  }
}
