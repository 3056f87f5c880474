package io.repave.spark.catalog;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.read.StorePath;
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
    refresh(session.get(), StorePath.text(RepaveFileSystem.SCHEME, table));
    if (RepaveFileSystem.SCHEME.equals(new Path(written).toUri().getScheme())) {
      refresh(session.get(), stored);
    }
  }

  /** After another change of the table in a session, whose readers may use either path. */
  public static void afterChange(SparkSession session, String path) throws InvalidConfigException {
    refresh(session, path);
    Location table = TablePaths.of(TableAccess.location(new Path(path))).root();
    refresh(session, StorePath.text(RepaveFileSystem.SCHEME, table));
  }

  /**
   * One at a time. Spark takes a query out of its cache, plans it and puts it back: a second commit
   * that looked for the query meanwhile would find none, and the first one's plan would stay.
   */
  private static synchronized void refresh(SparkSession session, String path) {
    try {
      session.catalog().refreshByPath(path);
    } catch (Exception | LinkageError e) {
      // Spark plans the cached queries anew, and these may fail in any way. Scala declares none.
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      LOG.warn(
          "Cached frames of {} may show rows from before this commit: {} Call"
              + " spark.catalog.refreshByPath(\"{}\").",
          path,
          e.getMessage(),
          path);
    }
  }
}
