package io.repave.hadoop.read;

import io.repave.core.ledger.PartFileName;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FutureDataInputStreamBuilder;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FutureIO;

/**
 * The data files in the store. A reader of Parquet asks for the status of a file and opens it, for
 * the footer and again for the rows, and S3A sends a HEAD each time. Here all of them share one
 * look, which is used for 5 seconds. That is safe for files that Repave wrote, because their names
 * are never used again. Every look at another file is a HEAD.
 */
public final class StoredFiles {
  private static final int FILES_MOST = 1024;

  private final FileSystem store;
  private final RecentLooks<Path, FileStatus> looks;

  public StoredFiles(FileSystem store) {
    this(store, System::nanoTime);
  }

  StoredFiles(FileSystem store, LongSupplier nanos) {
    this.store = store;
    looks = new RecentLooks<>(FILES_MOST, nanos);
  }

  /** The status of a file, by a HEAD or the last look; a copy, because callers change its path. */
  public FileStatus status(Path file) throws IOException {
    return new FileStatus(look(file));
  }

  /** Opens a file, by a HEAD or the last look. */
  public FSDataInputStream open(Path file, int bufferSize) throws IOException {
    return isOfRepave(file)
        ? FutureIO.awaitFuture(store.openFile(file).withFileStatus(look(file)).build())
        : store.open(file, bufferSize);
  }

  /** The same for a caller who has more to say; one with a status of its own gives that. */
  public FutureDataInputStreamBuilder openFile(Path file) throws IOException {
    FutureDataInputStreamBuilder builder = store.openFile(file);
    looks.find(file).ifPresent(builder::withFileStatus);
    return builder;
  }

  private FileStatus look(Path file) throws IOException {
    Optional<FileStatus> recent = looks.find(file);
    if (recent.isPresent()) {
      return recent.get();
    }
    long until = looks.until();
    FileStatus found = store.getFileStatus(file);
    if (isOfRepave(file)) {
      looks.keep(file, Optional.of(found), until);
    }
    return found;
  }

  private static boolean isOfRepave(Path file) {
    return PartFileName.commitOf(file.getName()).isPresent();
  }
}
