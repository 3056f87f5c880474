package io.repave.core.store;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Bytes to write, in pieces, because one large array per part is hard on the garbage collector.
 * Reading does not change a position, so the same content can be written again.
 */
public final class Content {
  private final List<ByteBuffer> pieces;
  private final int bytes;

  private Content(List<ByteBuffer> pieces) {
    this.pieces = pieces;
    bytes = pieces.stream().mapToInt(ByteBuffer::remaining).sum();
  }

  /** The remaining bytes of a buffer, without a copy. */
  public static Content of(ByteBuffer whole) {
    return new Content(List.of(whole.duplicate()));
  }

  /** The remaining bytes of the buffers, one after the other, without a copy. */
  public static Content of(List<ByteBuffer> pieces) {
    return new Content(pieces.stream().map(ByteBuffer::duplicate).toList());
  }

  public int bytes() {
    return bytes;
  }

  /** The pieces, each with its own position. */
  public List<ByteBuffer> pieces() {
    return pieces.stream().map(ByteBuffer::duplicate).toList();
  }
}
