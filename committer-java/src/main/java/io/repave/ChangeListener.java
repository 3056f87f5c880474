package io.repave;

import java.io.IOException;
import org.apache.spark.sql.SparkSession;

/**
 * Shows the changes of a {@link RepaveTable} that was opened in a session to that session. Repave's
 * Spark layer, which this package does not know, implements it, and Java's ServiceLoader finds it.
 * Programs do not need it.
 */
@FunctionalInterface
public interface ChangeListener {
  /**
   * Called after a change has succeeded.
   *
   * @param path the path by which the table was opened
   */
  void changed(SparkSession session, String path, RepaveTable table)
      throws IOException, InterruptedException;
}
