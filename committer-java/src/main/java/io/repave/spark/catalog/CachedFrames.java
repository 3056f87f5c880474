package io.repave.spark.catalog;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.read.StorePath;
import io.repave.spark.bridge.LimitedWait;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Frames and tables that Spark holds in its cache. Spark reads those of a path again after it has
 * written to that path; here the same happens for readers of the table's {@code repave://} path.
 */
public final class CachedFrames {
  private static final Logger LOG = LoggerFactory.getLogger(CachedFrames.class);

  /** A commit is told to its program after this time, although the store may not answer. */
  private static final Duration WAIT = Duration.ofMinutes(1);

  private CachedFrames() {}

  /**
   * After a write of the active session. The commit has succeeded, so a failure is only logged.
   *
   * @param written the path of the write. Spark itself looks for frames that read this path
   * @param stored the table's path in the store, which readers of a listing table may use
   */
  public static void afterWrite(Location table, String written, String stored) {
    Option<SparkSession> session = SparkSession.getActiveSession();
    if (session.isEmpty()) {
      return;
    }
    String shown = StorePath.text(RepaveFileSystem.SCHEME, table);
    boolean isShown = RepaveFileSystem.isPath(new Path(written));
    refresh(session.get(), table, isShown ? List.of(shown, stored) : List.of(shown), written);
  }

  /** After another change of the table in a session, whose readers may use either path. */
  public static void afterChange(SparkSession session, String path) throws InvalidConfigException {
    Path named = new Path(path);
    // The path may be that of a partition, and the change is one of the table.
    Location table = TablePaths.of(TableAccess.location(named)).root();
    String stored = StorePath.text(named.toUri().getScheme(), table);
    refresh(session, table, List.of(stored, StorePath.text(RepaveFileSystem.SCHEME, table)), "");
  }

  /**
   * In a thread of its own, because the program should hear of its commit first. While the store
   * does not answer, requests are repeated for minutes, once for each cached frame.
   */
  private static void refresh(
      SparkSession session, Location table, List<String> usual, String written) {
    try {
      CachedQueries cached = new CachedQueries(session);
      boolean ended =
          LimitedWait.run(
              "repave-refresh", WAIT, () -> refreshAll(session, cached, table, usual, written));
      if (!ended) {
        LOG.warn(
            "Cached DataFrames of {} are still being refreshed, and show rows from before this"
                + " commit until that ends. The program does not wait for it any longer.",
            String.join(" and ", usual));
      }
    } catch (RuntimeException | Error e) {
      // An error too, such as that no thread could be started: the commit has succeeded.
      warn(usual.get(0), e);
    }
  }

  /**
   * One commit at a time. Spark takes a query out of its cache, plans it and puts it back. A second
   * commit that looked for the query meanwhile would find none, and the first one's plan would
   * stay.
   *
   * @param usual the paths of most readers. Others use another scheme, such as {@code s3://}
   * @param written Spark itself looks for frames that read this path
   */
  private static synchronized void refreshAll(
      SparkSession session,
      CachedQueries cached,
      Location table,
      List<String> usual,
      String written) {
    Set<String> paths = cached.pathsOf(table);
    paths.remove(written);
    paths.addAll(usual);
    paths.forEach(path -> refresh(session, cached, path));
  }

  private static void refresh(SparkSession session, CachedQueries cached, String path) {
    List<CachedQueries.Query> before = cached.reading(path);
    try {
      session.catalog().refreshByPath(path);
    } catch (Exception | LinkageError e) {
      // Spark plans the cached queries anew, and these may fail in any way. Scala declares none.
      if (before.isEmpty()) {
        warn(path, e);
      } else {
        refreshEach(cached, before, path, e);
      }
    }
  }

  /** Spark stops at the first query that fails. The others would show old rows. */
  private static void refreshEach(
      CachedQueries cached, List<CachedQueries.Query> queries, String path, Throwable why) {
    int failed = 0;
    try {
      cached.remove(queries);
      for (CachedQueries.Query each : queries) {
        failed += cached.add(each) ? 0 : 1;
      }
    } catch (Exception | LinkageError e) {
      warn(path, e);
      return;
    }
    LOG.warn(
        "A cached DataFrame of {} could not be planned again after this commit: {} {} of {} cached"
            + " DataFrames could not be cached again. They are read from the table now, or fail."
            + " Create these DataFrames again, and cache them.",
        path,
        why.getMessage(),
        failed,
        queries.size());
  }

  private static void warn(String path, Throwable why) {
    LOG.warn(
        "Cached DataFrames of {} may show rows from before this commit: {} Call"
            + " spark.catalog.refreshByPath(\"{}\").",
        path,
        why.getMessage(),
        path);
  }
}
