package io.repave.s3;

import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * A buffer's remaining bytes as a stream, without copying them. Each stream has its own position,
 * and mark and reset work, so that the SDK can send the same bytes again.
 */
final class BufferStream extends InputStream {
  private final ByteBuffer rest;

  BufferStream(ByteBuffer content) {
    rest = content.duplicate();
    rest.mark();
  }

  @Override
  public int read() {
    return rest.hasRemaining() ? rest.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] into, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    if (!rest.hasRemaining()) {
      return -1;
    }
    int bytes = Math.min(length, rest.remaining());
    rest.get(into, offset, bytes);
    return bytes;
  }

  @Override
  public long skip(long bytes) {
    int skipped = (int) Math.max(0, Math.min(bytes, rest.remaining()));
    rest.position(rest.position() + skipped);
    return skipped;
  }

  @Override
  public int available() {
    return rest.remaining();
  }

  @Override
  public boolean markSupported() {
    return true;
  }

  @Override
  public synchronized void mark(int readLimit) {
    rest.mark();
  }

  @Override
  public synchronized void reset() {
    rest.reset();
  }
}
