package io.repave.hadoop.upload;

import io.repave.core.ledger.Upload;
import io.repave.core.store.Location;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** A file that a task attempt has announced. A writer opens it once, and closes it. */
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

  /** Opens the only stream of this file. A second writer would mix two contents. */
  public synchronized UploadStream open() throws IOException {
    if (stream != null) {
      throw UploadErrors.alreadyOpen(at());
    }
    stream = upload.stream();
    return stream;
  }

  /** The number of bytes written so far, whether or not the store has them. */
  public synchronized long bytes() throws FileNotFoundException {
    if (stream == null) {
      throw UploadErrors.notCreated(at());
    }
    return stream.pos();
  }

  /** False for a file that was announced and not created. ORC does so with empty results. */
  synchronized boolean isWritten() {
    return stream != null;
  }

  /** Refuses a file whose writer did not close it, because its content may be incomplete. */
  synchronized void requireClosed() throws IOException {
    if (!stream.isClosed()) {
      throw UploadErrors.notClosed(at());
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
