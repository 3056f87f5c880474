package io.repave.hadoop.upload;

import io.repave.core.store.Content;

/** A part in the arrays that its stream filled. */
final class MemoryPart implements Part {
  private final UploadMemory memory;
  private final int bytes;
  private Segments segments;

  /** Takes over arrays whose bytes are all held in {@code memory}. */
  MemoryPart(UploadMemory memory, Segments segments) {
    this.memory = memory;
    this.segments = segments;
    bytes = segments.filled();
    memory.move(segments.capacity());
  }

  @Override
  public int bytes() {
    return bytes;
  }

  @Override
  public Content view() {
    return Content.of(segments.views());
  }

  @Override
  public byte[] read(int from, int length) {
    return segments.copy(from, length);
  }

  @Override
  public void release() {
    memory.giveMoving(segments.capacity());
    segments = null;
  }
}
