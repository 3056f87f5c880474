package io.repave.spark.catalog;

import io.repave.ChangeListener;
import io.repave.FollowerStatus;
import io.repave.RepaveTable;
import io.repave.core.record.FollowerKind;
import java.io.IOException;
import org.apache.spark.sql.SparkSession;

/** Shows a new version of a table to the session's catalog, and to its cached frames. */
public final class SessionAfterChange implements ChangeListener {
  @Override
  public void changed(SparkSession session, String path, RepaveTable table)
      throws IOException, InterruptedException {
    try {
      for (FollowerStatus each : table.status().followers()) {
        if (each.follower() == FollowerKind.METASTORE) {
          MetastoreFollowing.afterChange(each.name(), table, new MetastoreLocations(session));
        }
      }
    } finally {
      CachedFrames.afterChange(session, path);
    }
  }
}
