package io.repave.core.step;

import io.repave.core.record.FileEntry;
import java.io.IOException;

/** Takes the files that a listing finds; called from several threads. */
@FunctionalInterface
interface FileSink {
  void file(String partition, FileEntry file) throws IOException, InterruptedException;
}
