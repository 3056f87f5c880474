package io.repave.spark.write;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import scala.Option;

/**
 * The executions of Spark around a write: the one that writes, and the one that this thread began
 * first, such as the batch of a stream. Spark names no others, but numbers all of them in order.
 */
public record RunningQueries(long first, long last) {
  /**
   * A long batch next to busy threads may have more executions in between; older ones have ended.
   */
  private static final int OTHERS_MAX = 100_000;

  /** Empty outside of an execution. */
  public static Optional<RunningQueries> ofThread() {
    Option<SparkSession> session = SparkSession.getActiveSession();
    if (session.isEmpty()) {
      return Optional.empty();
    }
    SparkContext context = session.get().sparkContext();
    String last = context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY());
    String first = context.getLocalProperty(SQLExecution.EXECUTION_ROOT_ID_KEY());
    if (last == null) {
      return Optional.empty();
    }
    long id = Long.parseLong(last);
    return Optional.of(new RunningQueries(first == null ? id : Long.parseLong(first), id));
  }

  /** Whether an execution is not over. Spark forgets it then. */
  public static boolean isRunning(long execution) {
    return find(execution).isPresent();
  }

  private static Optional<QueryExecution> find(long execution) {
    return Optional.ofNullable(SQLExecution.getQueryExecution(execution));
  }

  /** The execution that writes. */
  public Optional<QueryExecution> writing() {
    return find(last);
  }

  /** The execution that the thread began first. */
  public Optional<QueryExecution> root() {
    return find(first);
  }

  /** Executions that began between these two, the latest first. Other threads began some. */
  List<QueryExecution> others() {
    List<QueryExecution> running = new ArrayList<>();
    for (long id = last - 1; id > first && last - id <= OTHERS_MAX; id--) {
      find(id).ifPresent(running::add);
    }
    return running;
  }
}
