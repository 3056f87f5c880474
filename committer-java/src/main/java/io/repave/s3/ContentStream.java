package io.repave.s3;

import io.repave.core.store.Content;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Content as a stream, without a copy. Each stream has its own position and supports mark and
 * reset, so that the SDK can send the same bytes again.
 */
final class ContentStream extends InputStream {
  private final List<ByteBuffer> pieces;
  private final int bytes;
  private int piece;
  private int position;
  private int marked;

  ContentStream(Content content) {
    pieces = content.pieces();
    pieces.forEach(ByteBuffer::mark);
    bytes = content.bytes();
  }

  @Override
  public int read() {
    ByteBuffer next = next();
    if (next == null) {
      return -1;
    }
    position++;
    return next.get() & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    ByteBuffer next = next();
    if (next == null) {
      return -1;
    }
    int read = Math.min(length, next.remaining());
    next.get(into, offset, read);
    position += read;
    return read;
  }

  @Override
  public long skip(long wanted) {
    int to = (int) Math.max(position, Math.min(bytes, position + Math.min(wanted, bytes)));
    int skipped = to - position;
    moveTo(to);
    return skipped;
  }

  @Override
  public int available() {
    return bytes - position;
  }

  @Override
  public boolean markSupported() {
    return true;
  }

  @Override
  public synchronized void mark(int readLimit) {
    marked = position;
  }

  @Override
  public synchronized void reset() {
    moveTo(marked);
  }

  /** The piece with the next byte; null at the end. */
  private ByteBuffer next() {
    while (piece < pieces.size() && !pieces.get(piece).hasRemaining()) {
      piece++;
    }
    return piece < pieces.size() ? pieces.get(piece) : null;
  }

  private void moveTo(int to) {
    pieces.forEach(ByteBuffer::reset);
    piece = 0;
    position = 0;
    while (position < to) {
      ByteBuffer next = next();
      int step = Math.min(to - position, next.remaining());
      next.position(next.position() + step);
      position += step;
    }
  }
}
