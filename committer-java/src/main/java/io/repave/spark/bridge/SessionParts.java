package io.repave.spark.bridge;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.internal.SessionState;
import org.apache.spark.sql.internal.SharedState;

/** The parts of a session. Spark 4 has them in a subclass of its own, so they are found by name. */
public final class SessionParts {
  private SessionParts() {}

  /** What all sessions of the application share. */
  public static SharedState shared(SparkSession session) {
    return (SharedState) part(session, "sharedState");
  }

  public static SessionState state(SparkSession session) {
    return (SessionState) part(session, "sessionState");
  }

  private static Object part(SparkSession session, String name) {
    try {
      return session.getClass().getMethod(name).invoke(session);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Spark's session has no " + name, e);
    }
  }
}
