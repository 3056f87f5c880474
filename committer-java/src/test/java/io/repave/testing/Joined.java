package io.repave.testing;

import io.repave.core.store.Content;
import java.nio.ByteBuffer;

/** Content in one piece, as a fake store holds it. */
public final class Joined {
  private Joined() {}

  public static ByteBuffer copy(Content content) {
    ByteBuffer all = ByteBuffer.allocate(content.bytes());
    content.pieces().forEach(all::put);
    return all.flip();
  }
}
