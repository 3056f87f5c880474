package io.repave.hadoop.upload;

import java.nio.ByteBuffer;

/** A part in the array that its stream filled. */
final class MemoryPart implements Part {
  private final UploadMemory memory;
  private final int bytes;
  private byte[] content;

  /** Takes over an array whose whole length is held in {@code memory}. */
  MemoryPart(UploadMemory memory, byte[] content, int bytes) {
    this.memory = memory;
    this.content = content;
    this.bytes = bytes;
    memory.move(content.length);
  }

  @Override
  public int bytes() {
    return bytes;
  }

  @Override
  public ByteBuffer view() {
    return ByteBuffer.wrap(content, 0, bytes);
  }

  @Override
  public void release() {
    memory.giveMoving(content.length);
    content = null;
  }
}
