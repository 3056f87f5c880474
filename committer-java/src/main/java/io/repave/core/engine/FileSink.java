package io.repave.core.engine;

import io.repave.core.record.FileEntry;
import java.io.IOException;

/** Receives the files of a table, one by one. */
@FunctionalInterface
public interface FileSink {
  void file(String partition, FileEntry file) throws IOException, InterruptedException;
}
