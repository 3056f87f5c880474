package io.repave;

import java.io.IOException;
import java.util.ServiceLoader;
import org.apache.spark.sql.SparkSession;

/** The session that a table was opened in, which must show the table's changes. */
record OpenedSession(SparkSession session, String path) {
  void changed(RepaveTable table) throws IOException, InterruptedException {
    for (ChangeListener each :
        ServiceLoader.load(ChangeListener.class, ChangeListener.class.getClassLoader())) {
      each.changed(session, path, table);
    }
  }
}
