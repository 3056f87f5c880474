package io.repave.core.listing;

import io.repave.core.engine.TableContext;
import io.repave.core.error.UsageErrors;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;

/**
 * An object whose key is the path of a table's folder. Readers of that path see the object's rows
 * or the table's, but not both: Hadoop's S3A shows a file or a folder, by the request that it
 * sends.
 *
 * <p>Requests: 1 HEAD; none for a table in the root of a bucket.
 */
public final class FileAtFolder {
  private final TableContext context;

  public FileAtFolder(TableContext context) {
    this.context = context;
  }

  /** Throws when there is one. */
  public void requireNone() throws IOException, InterruptedException {
    Location root = context.paths().root();
    if (!root.key().isEmpty() && isThere(root)) {
      throw UsageErrors.fileAtFolder(root);
    }
  }

  private boolean isThere(Location root) throws IOException, InterruptedException {
    try {
      return context.records().find(root).isPresent();
    } catch (StoreException e) {
      if (e.kind() != Kind.DENIED) {
        throw e;
      }
      // A job may be allowed to read only what is in the folder.
      return false;
    }
  }
}
