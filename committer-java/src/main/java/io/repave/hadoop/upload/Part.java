package io.repave.hadoop.upload;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The content of one part, sealed: it can be sent as often as needed, then it is released. */
interface Part {
  int bytes();

  /** A fresh view of the content; a retry asks again. */
  ByteBuffer view() throws IOException;

  /** Gives the memory, or the disk, back. Called once, when the part is sent or given up. */
  void release();
}
