package io.repave.spark.plan;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.read.VersionFiles;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.analysis.AnalysisContext;

/**
 * The versions of the paths that one statement reads. A path that it names several times, also in
 * subqueries and views, is looked at once: with a look for each, a commit in between would put two
 * versions into one result.
 *
 * <p>Spark analyzes a statement in one thread, and gives each analysis a cache of relations of its
 * own, which views and subqueries share.
 */
final class VersionsOfAnalysis {
  private static final ThreadLocal<VersionsOfAnalysis> LAST = new ThreadLocal<>();

  private final WeakReference<Object> analysis;
  private final Map<Path, Optional<VersionFiles>> found = new HashMap<>();

  private VersionsOfAnalysis(Object analysis) {
    this.analysis = new WeakReference<>(analysis);
  }

  /** Those of the analysis that runs in this thread. */
  static VersionsOfAnalysis ofThread() {
    Object analysis = AnalysisContext.get().relationCache();
    VersionsOfAnalysis last = LAST.get();
    if (last == null || last.analysis.get() != analysis) {
      last = new VersionsOfAnalysis(analysis);
      LAST.set(last);
    }
    return last;
  }

  /** Empty if the path is not that of a snapshot table. */
  Optional<VersionFiles> find(RepaveFileSystem store, Path path) throws IOException {
    Path asked = store.makeQualified(path);
    Optional<VersionFiles> known = found.get(asked);
    if (known == null) {
      known = store.version(path);
      found.put(asked, known);
    }
    return known;
  }
}
