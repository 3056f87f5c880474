package io.repave;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The session that a table was opened in, which must show the table's changes. */
record OpenedSession(SparkSession session, String path) {
  private static final Logger LOG = LoggerFactory.getLogger(OpenedSession.class);

  /** The change has succeeded, so a failure is only logged. */
  void changed(RepaveTable table) {
    try {
      for (ChangeListener each :
          ServiceLoader.load(ChangeListener.class, ChangeListener.class.getClassLoader())) {
        each.changed(session, path, table);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      warn(e);
    } catch (Exception | LinkageError | ServiceConfigurationError e) {
      warn(e);
    }
  }

  private void warn(Throwable why) {
    LOG.warn(
        "{} was changed, but this session may show its state from before: {} Call"
            + " spark.catalog.refreshByPath(\"{}\") and, if a metastore follows the table,"
            + " RepaveTable.sync().",
        path,
        why.getMessage(),
        path);
  }
}
