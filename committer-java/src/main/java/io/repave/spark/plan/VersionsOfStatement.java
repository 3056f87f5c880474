package io.repave.spark.plan;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.read.VersionFiles;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.QueryPlanningTracker;
import scala.Option;

/**
 * The versions of the tables that one statement reads. A table that it names several times, also in
 * subqueries and views, is looked at once: with a look for each, a commit in between would put two
 * versions into one result.
 *
 * <p>Spark analyzes and optimizes a statement with one tracker, in one thread at a time, and keeps
 * it as long as the frame. So a frame that is gone takes its versions with it.
 */
final class VersionsOfStatement {
  private static final Map<QueryPlanningTracker, VersionsOfStatement> BY_TRACKER =
      Collections.synchronizedMap(new WeakHashMap<>());

  private final Map<Path, Optional<VersionFiles>> found = new HashMap<>();
  private final Map<Path, IOException> failed = new HashMap<>();
  private final Map<VersionFiles, IndexedFiles> indexed = new HashMap<>();
  private final Map<Path, ShownVersion> shown = new HashMap<>();
  private final Map<ShownVersion, ShownVersion> planned = new HashMap<>();

  private VersionsOfStatement() {}

  /** Those of the statement that this thread plans. */
  static VersionsOfStatement ofThread() {
    Option<QueryPlanningTracker> tracker = QueryPlanningTracker.get();
    return tracker.isEmpty()
        ? new VersionsOfStatement()
        : BY_TRACKER.computeIfAbsent(tracker.get(), one -> new VersionsOfStatement());
  }

  /** The files of a version, in one index for all places of the statement that read it. */
  synchronized IndexedFiles indexed(VersionFiles version) throws IOException {
    IndexedFiles known = indexed.get(version);
    if (known == null) {
      known = IndexedFiles.of(version);
      indexed.put(version, known);
    }
    return known;
  }

  /** The version that all reads of a path in the statement show, which move together. */
  synchronized ShownVersion shown(RepaveFileSystem store, Path path, IndexedFiles files) {
    return shown.computeIfAbsent(path, asked -> new ShownVersion(store, asked, files));
  }

  /** What all scans of the statement read that show this version when it is planned. */
  synchronized ShownVersion planned(ShownVersion now) {
    return planned.computeIfAbsent(now, ShownVersion::copy);
  }

  /**
   * Empty if the path is not that of a snapshot table. A look that failed is not repeated: a later
   * one could show another version than what Spark has listed instead.
   */
  synchronized Optional<VersionFiles> find(RepaveFileSystem store, Path path) throws IOException {
    Path asked = store.makeQualified(path);
    if (failed.containsKey(asked)) {
      throw failed.get(asked);
    }
    Optional<VersionFiles> known = found.get(asked);
    if (known == null) {
      try {
        known = store.version(path);
      } catch (IOException e) {
        failed.put(asked, e);
        throw e;
      }
      found.put(asked, known);
    }
    return known;
  }
}
