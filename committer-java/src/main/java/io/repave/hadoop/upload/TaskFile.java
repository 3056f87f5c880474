package io.repave.hadoop.upload;

import io.repave.core.ledger.Upload;
import io.repave.core.store.Location;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.FileAlreadyExistsException;

/** A file that a task attempt has announced: named, then opened once, then closed. */
public final class TaskFile {
  private final String partition;
  private final String name;
  private final FileUpload upload;
  private UploadStream stream;

  TaskFile(String partition, String name, FileUpload upload) {
    this.partition = partition;
    this.name = name;
    this.upload = upload;
  }

  public Location at() {
    return upload.at();
  }

  /** The stream of this file. There is one: a second writer would mix two contents. */
  public synchronized UploadStream open() throws IOException {
    if (stream != null) {
      throw new FileAlreadyExistsException(at() + " is written by this task attempt already.");
    }
    stream = upload.stream();
    return stream;
  }

  /** The bytes written so far, whether or not the store has them. */
  public synchronized long bytes() throws FileNotFoundException {
    if (stream == null) {
      throw new FileNotFoundException(at() + " was announced by a task, but not created.");
    }
    return stream.pos();
  }

  /** False for a name that was asked for and never used, as ORC does with empty results. */
  synchronized boolean isWritten() {
    return stream != null;
  }

  /** Refuses a file that its writer did not end: its content could be cut off. */
  synchronized void requireClosed() throws IOException {
    if (!stream.isClosed()) {
      throw new IOException(at() + " was not closed by its writer, so the task cannot commit it.");
    }
  }

  CompletableFuture<Void> settled() {
    return upload.settled();
  }

  Upload toUpload() {
    return upload.toUpload(partition, name);
  }

  synchronized CompletableFuture<Void> discard() {
    if (stream != null) {
      stream.discard();
    }
    return upload.discard();
  }
}
