package io.repave.spark.catalog;

import io.repave.RepaveTable;
import io.repave.core.follow.LocationCatalog;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Updates the partition locations of the metastore's table after a commit. The commit has
 * succeeded, so a failure is only logged: the next commit, or a sync, updates them.
 */
public final class MetastoreFollowing {
  private static final Logger LOG = LoggerFactory.getLogger(MetastoreFollowing.class);

  private MetastoreFollowing() {}

  /** After a write of the active session. */
  public static void afterWrite(List<Follower> catalogs, Object table, Move move) {
    for (Follower each : catalogs) {
      if (each.kind() != FollowerKind.METASTORE) {
        LOG.info(
            "The {} table {} follows {}, and this JVM has no client of it: run repave sync {}",
            each.kind().label(),
            each.name(),
            table,
            table);
        continue;
      }
      Option<SparkSession> active = SparkSession.getActiveSession();
      Option<SparkSession> session = active.isDefined() ? active : SparkSession.getDefaultSession();
      quietly(each.name(), table, () -> move.run(new MetastoreLocations(session.get())));
    }
  }

  /** Updates the locations of a table in a catalog. */
  @FunctionalInterface
  public interface Move {
    void run(LocationCatalog catalog) throws IOException, InterruptedException;
  }

  /** An update that may fail. */
  @FunctionalInterface
  private interface Action {
    void run() throws IOException, InterruptedException;
  }

  /** After another change of a table, in a session. */
  public static void afterChange(String name, RepaveTable table, MetastoreLocations catalog) {
    quietly(name, name, () -> table.move(FollowerKind.METASTORE, catalog));
  }

  private static void quietly(String name, Object table, Action action) {
    try {
      action.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      warn(name, table, e);
    } catch (Exception | LinkageError e) {
      // Hive's exceptions are of any kind, and Scala declares none.
      warn(name, table, e);
    }
  }

  private static void warn(String name, Object table, Throwable why) {
    LOG.warn(
        "Readers of the metastore's table {} do not see the newest version of {} yet: {} The next"
            + " commit tries again, and so does RepaveTable.sync() in a session with this metastore.",
        name,
        table,
        why.getMessage());
  }
}
