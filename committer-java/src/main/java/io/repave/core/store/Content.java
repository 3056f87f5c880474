package io.repave.core.store;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Bytes to write, in pieces: a part of a file is larger than what a collector likes to hold in one
 * array. Reading moves no position, so that the same content can be written again.
 */
public final class Content {
  private final List<ByteBuffer> pieces;
  private final int bytes;

  private Content(List<ByteBuffer> pieces) {
    this.pieces = pieces;
    bytes = pieces.stream().mapToInt(ByteBuffer::remaining).sum();
  }

  /** The buffer's remaining bytes, which are not copied. */
  public static Content of(ByteBuffer whole) {
    return new Content(List.of(whole.duplicate()));
  }

  /** The remaining bytes of all, one after the other; they are not copied. */
  public static Content of(List<ByteBuffer> pieces) {
    return new Content(pieces.stream().map(ByteBuffer::duplicate).toList());
  }

  public int bytes() {
    return bytes;
  }

  /** Each with a position of its own. */
  public List<ByteBuffer> pieces() {
    return pieces.stream().map(ByteBuffer::duplicate).toList();
  }

  /** All in one buffer, a copy. */
  public ByteBuffer joined() {
    ByteBuffer all = ByteBuffer.allocate(bytes);
    pieces().forEach(all::put);
    return all.flip();
  }
}
