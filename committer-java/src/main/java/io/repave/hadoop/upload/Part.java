package io.repave.hadoop.upload;

import io.repave.core.store.Content;
import java.io.IOException;

/** The content of one part, sealed: it can be sent as often as needed, then it is released. */
interface Part {
  int bytes();

  /** The content; a retry asks again. */
  Content view() throws IOException;

  /** Gives the memory, or the disk, back. Called once, when the part is sent or given up. */
  void release();
}
