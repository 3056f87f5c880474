package io.repave.hadoop.upload;

import java.io.IOException;
import java.nio.file.Path;

/** Local folders for parts for which the upload memory has no room. */
@FunctionalInterface
public interface SpillFolders {
  /** A folder that exists and has room for this many bytes. */
  Path folder(long bytes) throws IOException;
}
