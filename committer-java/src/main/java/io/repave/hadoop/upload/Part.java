package io.repave.hadoop.upload;

import io.repave.core.store.Content;
import java.io.IOException;

/** The finished content of one part. It can be sent several times, and is then released. */
interface Part {
  int bytes();

  /** The content, which may be read several times. A part on disk is loaded into memory. */
  Content view() throws IOException;

  /** Some bytes of the content, which must be in it. A part on disk is read there. */
  byte[] read(int from, int length) throws IOException;

  /** Releases the memory or the disk file. Called once, when the part is sent or abandoned. */
  void release();
}
