package io.repave.hadoop.upload;

import java.io.IOException;
import java.nio.file.Path;

/** Where parts go that found no memory. */
@FunctionalInterface
public interface SpillFolders {
  /** A folder that exists and has room for this many bytes. */
  Path folder(long bytes) throws IOException;
}
