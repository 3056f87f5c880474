package io.repave.core.snapshot;

import io.repave.core.record.FileEntry;
import io.repave.core.step.StepContext;
import java.io.IOException;

/** Files that a listing found, in whatever order; they may be added by several threads. */
public final class LyingFiles implements AutoCloseable {
  private final FileSorter sorter;

  public LyingFiles(StepContext context) {
    this.sorter = new FileSorter(context.ports().scratch());
  }

  public synchronized void add(String partition, FileEntry file)
      throws IOException, InterruptedException {
    sorter.add(partition, file);
  }

  /** All of them, in order. */
  public FileStream files() throws IOException {
    return sorter.files();
  }

  @Override
  public void close() throws IOException {
    sorter.close();
  }
}
