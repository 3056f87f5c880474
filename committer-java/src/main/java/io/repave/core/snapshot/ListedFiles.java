package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.record.FileEntry;
import java.io.IOException;

/** Files that a listing found, in whatever order; they may be added by several threads. */
public final class ListedFiles implements AutoCloseable {
  private final FileSorter sorter;

  public ListedFiles(TableContext context) {
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
