package io.repave.hadoop.read;

import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FutureDataInputStreamBuilder;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.impl.OpenFileParameters;

/**
 * The files of tables, by the paths that readers see. A version in a path selects files, but the
 * data have one place: {@code repave://lake/sales/@v7/dt=1/a} is the object {@code sales/dt=1/a}.
 */
public final class ShownFiles {
  private final String scheme;
  private final StoredFiles stored;

  ShownFiles(FileSystem store) {
    scheme = store.getUri().getScheme();
    stored = new StoredFiles(store);
  }

  FileStatus status(StorePath shown) throws IOException {
    return stored.status(data(shown));
  }

  public FSDataInputStream open(Path shown, int bufferSize) throws IOException {
    return stored.open(data(shown), bufferSize);
  }

  /**
   * Opens a file under its own name. Empty for a file that is shown by another name, because S3A
   * refuses the status of another name.
   */
  public Optional<FutureDataInputStreamBuilder> openFile(Path shown) throws IOException {
    Path data = data(shown);
    return data.getName().equals(shown.getName())
        ? Optional.of(stored.openFile(data))
        : Optional.empty();
  }

  /** Opens a file under any name. */
  public CompletableFuture<FSDataInputStream> openFile(Path shown, OpenFileParameters asked)
      throws IOException {
    Path data = data(shown);
    FutureDataInputStreamBuilder builder = stored.openFile(data);
    for (Map.Entry<String, String> option : asked.getOptions()) {
      if (asked.getMandatoryKeys().contains(option.getKey())) {
        builder.must(option.getKey(), option.getValue());
      } else {
        builder.opt(option.getKey(), option.getValue());
      }
    }
    FileStatus status = asked.getStatus();
    if (status != null) {
      long blockBytes = status.getBlockSize();
      long modified = status.getModificationTime();
      builder.withFileStatus(new FileStatus(status.getLen(), false, 1, blockBytes, modified, data));
    }
    return builder.build();
  }

  private Path data(Path shown) {
    return data(StorePath.of(shown));
  }

  private Path data(StorePath shown) {
    Location at = shown.at();
    return StorePath.path(scheme, new Location(at.bucket(), ShownName.key(at.key())));
  }
}
