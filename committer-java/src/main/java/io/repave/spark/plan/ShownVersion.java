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
  private final Optional<ShownVersion> original;
  private volatile Shown shown;

  /** Files, and whether a refresh has failed since they were found. */
  private record Shown(IndexedFiles files, boolean isStale) {}

  /** Shows these files of the table at {@code root} until it is refreshed. */
  ShownVersion(RepaveFileSystem store, Path root, IndexedFiles files) {
    this(store, root, Optional.empty(), new Shown(files, false));
  }

  private ShownVersion(
      RepaveFileSystem store, Path root, Optional<ShownVersion> original, Shown shown) {
    this.store = store;
    this.root = root;
    this.original = original;
    this.shown = shown;
  }

  /** What is shown now, which a later refresh of this one does not move. */
  ShownVersion copy() {
    Shown now = shown;
    return new ShownVersion(store, root, now.isStale() ? Optional.of(this) : Optional.empty(), now);
  }

  Path root() {
    return root;
  }

  IndexedFiles files() {
    return shown.files();
  }

  /**
   * Whether scans of both read the same files. After a failed refresh it is not known which version
   * the next scan reads.
   */
  boolean isSame(ShownVersion other) {
    Shown here = shown;
    Shown there = other.shown;
    return other == this
        || (root.equals(other.root)
            && !here.isStale()
            && !there.isStale()
            && here.files().version().equals(there.files().version()));
  }

  /**
   * Refreshes again if the last refresh has failed. Fails if this one fails too; Spark may then
   * keep the failure with a cached frame until it plans the frame again.
   */
  void requireFresh() {
    if (!shown.isStale()) {
      return;
    }
    try {
      fresh();
    } catch (IOException e) {
      throw new UncheckedIOException(
          new IOException(
              ("A DataFrame of %s could not be refreshed. Call spark.catalog.refreshByPath(\"%s\"), or"
                      + " read the path again. The cause: %s")
                  .formatted(root, root, e.getMessage()),
              e));
    }
  }

  /**
   * A copy shows what its original shows. Spark compares a query with the plan that it cached,
   * which has the original, and answers it with the rows of the copy.
   */
  private synchronized Shown fresh() throws IOException {
    if (shown.isStale()) {
      shown = original.isPresent() ? original.get().fresh() : newest();
    }
    return shown;
  }

  /**
   * Moves to the newest version. The commit that Spark refreshes for must not fail because a vacuum
   * has removed the version of a cached frame, or because the store refuses this request. So the
   * next scan tries again, and fails instead.
   */
  synchronized void refresh() {
    try {
      shown = newest();
    } catch (IOException e) {
      LOG.warn("DataFrames that read {} could not be refreshed: {}", root, e.getMessage());
      shown = new Shown(shown.files(), true);
    }
  }

  private Shown newest() throws IOException {
    Optional<VersionFiles> now = store.version(root);
    if (now.isEmpty()) {
      throw new FileNotFoundException("There is no snapshot table at " + root + " any more.");
    }
    return new Shown(IndexedFiles.of(now.get()), false);
  }
}
