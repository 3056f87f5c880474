package io.repave.spark.catalog;

import io.repave.core.store.Location;
import io.repave.hadoop.read.StorePath;
import io.repave.spark.bridge.MethodsByName;
import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.ScalaMembers;
import io.repave.spark.bridge.SessionParts;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.CacheManager;
import org.apache.spark.sql.execution.CachedData;
import org.apache.spark.sql.execution.columnar.CachedRDDBuilder;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queries in Spark's cache, one by one. Spark has no public list of them, and the types in its
 * methods differ between its releases, so they are found by their names.
 */
final class CachedQueries {
  private static final Logger LOG = LoggerFactory.getLogger(CachedQueries.class);

  private final SparkSession session;

  /** A query in the cache, and the files that it reads of a path. */
  record Query(CachedData data, List<FileIndex> files) {
    private CachedRDDBuilder builder() {
      return data.cachedRepresentation().cacheBuilder();
    }
  }

  CachedQueries(SparkSession session) {
    this.session = session;
  }

  private CacheManager cache() {
    return SessionParts.shared(session).cacheManager();
  }

  /**
   * Those that read a path or a folder in it, in the order in which they were cached. None if this
   * Spark keeps them in another way.
   */
  List<Query> reading(String path) {
    List<Query> found = new ArrayList<>();
    try {
      for (CachedData data : all()) {
        List<FileIndex> files = files(data.plan(), new Path(path).toString());
        if (!files.isEmpty()) {
          found.add(new Query(data, files));
        }
      }
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      LOG.debug("Spark's cached queries cannot be told apart", e);
      return List.of();
    }
    Collections.reverse(found);
    return found;
  }

  /** The table's paths by which they read it or a folder in it: several schemes name one store. */
  Set<String> pathsOf(Location table) {
    Set<String> found = new LinkedHashSet<>();
    try {
      for (CachedData data : all()) {
        for (FileIndex files : files(data.plan())) {
          roots(files).stream()
              .filter(root -> isIn(table, root))
              .forEach(root -> found.add(StorePath.text(root.toUri().getScheme(), table)));
        }
      }
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      LOG.debug("The paths of Spark's cached queries cannot be read", e);
    }
    return found;
  }

  private static boolean isIn(Location table, Path root) {
    if (root.toUri().getAuthority() == null) {
      return false;
    }
    Location at = StorePath.location(root);
    return at.equals(table) || table.holds(at);
  }

  private List<CachedData> all() throws ReflectiveOperationException {
    Method list = CacheManager.class.getDeclaredMethod("cachedData");
    list.setAccessible(true);
    return ScalaMembers.list(list.invoke(cache())).stream().map(CachedData.class::cast).toList();
  }

  private static List<FileIndex> files(LogicalPlan plan, String path)
      throws ReflectiveOperationException {
    List<FileIndex> found = new ArrayList<>();
    for (FileIndex files : files(plan)) {
      if (reads(files, path)) {
        found.add(files);
      }
    }
    return found;
  }

  private static List<FileIndex> files(LogicalPlan plan) {
    return PlanNodes.all(plan).stream().flatMap(node -> PlanNodes.files(node).stream()).toList();
  }

  private static boolean reads(FileIndex files, String path) throws ReflectiveOperationException {
    // The path of a whole bucket ends with a slash.
    String inside = path.endsWith("/") ? path : path + "/";
    for (Path each : roots(files)) {
      String root = each.toString();
      if (root.equals(path) || root.startsWith(inside)) {
        return true;
      }
    }
    return false;
  }

  /** By the method of the public type: classes of indexes need not be public. */
  private static List<Path> roots(FileIndex files) throws ReflectiveOperationException {
    Object roots = FileIndex.class.getMethod("rootPaths").invoke(files);
    return ScalaMembers.list(roots).stream().map(Path.class::cast).toList();
  }

  /** Removes queries with the rows that Spark keeps of them, and all queries that use these. */
  void remove(List<Query> queries) {
    for (Query each : queries) {
      // Spark may have taken it out of its list before it failed.
      each.builder().clearCache(false);
      call("uncacheQuery", session, each.data().plan(), true, false);
    }
  }

  /** Caches a query again, with the files that there are now. False if it cannot be planned. */
  boolean add(Query query) {
    try {
      query.files().forEach(FileIndex::refresh);
      CachedRDDBuilder builder = query.builder();
      call("cacheQuery", session, query.data().plan(), builder.tableName(), builder.storageLevel());
      return true;
    } catch (Exception | LinkageError e) {
      LOG.warn("A cached query could not be planned again: {}", e.getMessage());
      return false;
    }
  }

  private void call(String name, Object... arguments) {
    // The type of the second parameter tells two methods apart.
    MethodsByName.call(
        method -> method.getParameterTypes()[1] == LogicalPlan.class,
        CacheManager.class,
        cache(),
        name,
        arguments);
  }
}
