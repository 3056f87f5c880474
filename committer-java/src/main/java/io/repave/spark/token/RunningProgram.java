package io.repave.spark.token;

import io.repave.core.record.Application;
import io.repave.spark.write.RunningQueries;
import java.util.Objects;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.SQLExecution;
import scala.Option;

/** What does not repeat a write by itself: the program, or one execution of a stream's batch. */
public final class RunningProgram {
  /** Spark sets both in the thread that runs a batch of a stream. */
  private static final String QUERY = "sql.streaming.queryId";

  private static final String BATCH = "streaming.sql.batchId";

  private RunningProgram() {}

  /**
   * A thread of a pool keeps the properties of the batch that started it, also when it works for
   * later batches, and for the program after the stream.
   */
  public static boolean isBatch(SparkContext context) {
    return context.getLocalProperty(BATCH) != null && isRunning(execution(context));
  }

  /** Its name in the records of a write. */
  public static String name(SparkContext context) {
    return isBatch(context) ? batch(context) : program(context);
  }

  private static boolean isRunning(String execution) {
    return execution == null || RunningQueries.isRunning(Long.parseLong(execution));
  }

  /** The one that the thread began first, as far as it knows: in a stream, that of the batch. */
  private static String execution(SparkContext context) {
    String root = context.getLocalProperty(SQLExecution.EXECUTION_ROOT_ID_KEY());
    return root == null ? context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY()) : root;
  }

  /**
   * YARN starts a dead driver again under the same application id, with another attempt id; that
   * program repeats the writes of the one before it.
   */
  private static String program(SparkContext context) {
    Option<String> attempt = context.applicationAttemptId();
    String id = context.applicationId();
    return attempt.isDefined() ? id + " attempt " + attempt.get() : id;
  }

  /**
   * A query that continues after an error repeats its last batch in the same application, but one
   * call of {@code foreachBatch} does not repeat a write.
   */
  private static String batch(SparkContext context) {
    String execution = execution(context);
    String query = Objects.requireNonNullElse(context.getLocalProperty(QUERY), "unknown");
    String batch = context.getLocalProperty(BATCH);
    return new Application(program(context), query, batch, String.valueOf(execution)).text();
  }
}
