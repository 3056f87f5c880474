package io.repave.spark.plan;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.read.VersionFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The version of a table that a statement shows at every place that reads the table's path. After a
 * write Spark refreshes one place of each cached query, and plans the query again: the other places
 * must not stay at the version from before.
 */
final class ShownVersion {
  private static final Logger LOG = LoggerFactory.getLogger(ShownVersion.class);

  private final RepaveFileSystem store;
  private final Path root;
  private volatile IndexedFiles files;
  private volatile Optional<IOException> stale;

  /** Shows these files of the table at {@code root} until it is refreshed. */
  ShownVersion(RepaveFileSystem store, Path root, IndexedFiles files) {
    this(store, root, files, Optional.empty());
  }

  private ShownVersion(
      RepaveFileSystem store, Path root, IndexedFiles files, Optional<IOException> stale) {
    this.store = store;
    this.root = root;
    this.files = files;
    this.stale = stale;
  }

  /** What is shown now, which a later refresh of this one does not move. */
  ShownVersion copy() {
    return new ShownVersion(store, root, files, stale);
  }

  Path root() {
    return root;
  }

  IndexedFiles files() {
    return files;
  }

  /** Fails if the last refresh has failed. */
  void requireFresh() {
    if (stale.isPresent()) {
      throw new UncheckedIOException(stale.get());
    }
  }

  /**
   * Moves to the newest version. The commit that Spark refreshes for must not fail because a vacuum
   * has removed the version of a cached frame, so the next scan fails instead.
   */
  void refresh() {
    try {
      Optional<VersionFiles> now = store.version(root);
      if (now.isEmpty()) {
        throw new FileNotFoundException(
            "There is no snapshot table at " + root + " any more. Read the path again.");
      }
      files = IndexedFiles.of(now.get());
      stale = Optional.empty();
    } catch (IOException e) {
      LOG.warn("Frames that read {} could not be refreshed: {}", root, e.getMessage());
      stale = Optional.of(e);
    }
  }
}
