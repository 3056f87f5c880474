package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.record.FileEntry;
import java.io.IOException;

/** Collects the files of a listing, which come in any order and from several threads. */
public final class ListedFiles implements AutoCloseable {
  private final FileSorter sorter;

  public ListedFiles(TableContext context) {
    this.sorter = new FileSorter(context.ports().scratch());
  }

  public synchronized void add(String partition, FileEntry file)
      throws IOException, InterruptedException {
    sorter.add(partition, file);
  }

  /** All files, sorted. */
  public FileStream files() throws IOException {
    return sorter.files();
  }

  @Override
  public void close() throws IOException {
    sorter.close();
  }
}
