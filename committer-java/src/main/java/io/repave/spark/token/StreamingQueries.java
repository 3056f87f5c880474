package io.repave.spark.token;

import io.repave.spark.bridge.ScalaMembers;
import io.repave.spark.bridge.SessionParts;
import java.util.Map;
import org.apache.spark.sql.SparkSession;

/**
 * The streaming queries of an application. A thread that a batch starts, such as one of a Python
 * pool, shows nothing of that batch.
 */
final class StreamingQueries {
  private StreamingQueries() {}

  /** In all sessions: a batch has a copy of the session that started its query. */
  static boolean areRunning(SparkSession session) {
    Object shared = SessionParts.shared(session);
    return !((Map<?, ?>) ScalaMembers.member(shared, "activeStreamingQueries")).isEmpty();
  }
}
