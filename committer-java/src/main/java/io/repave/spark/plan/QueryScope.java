package io.repave.spark.plan;

import io.repave.core.record.Application;
import io.repave.hadoop.read.ReadScope;
import io.repave.spark.token.RunningProgram;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/**
 * Distinguishes the queries of Spark: on the driver by the execution that Spark numbers, in a task
 * by its stage. A stage with listings belongs to one query.
 */
public final class QueryScope implements ReadScope {
  private static final String EXECUTION = "spark.sql.execution.id";
  private static final String ROOT = "spark.sql.execution.root.id";
  private static final String STREAM = "sql.streaming.queryId";

  /** A batch of a stream is one execution, and user code in it may read again and again. */
  private static final Duration EXECUTION_SHARES = Duration.ofSeconds(5);

  private static final Duration STAGE_SHARES = Duration.ofMinutes(1);

  @Override
  public Optional<Query> current() {
    try {
      TaskContext task = TaskContext.get();
      return task == null ? ofDriver() : Optional.of(stage(task));
    } catch (RuntimeException | LinkageError e) {
      // Without Spark, or while it stops, nothing is shared.
      return Optional.empty();
    }
  }

  /**
   * Spark looks for a stream's new files outside of executions, in the thread of the stream or, for
   * many folders, in tasks of that thread. What a batch reads is part of its execution.
   */
  @Override
  public boolean isStream() {
    try {
      TaskContext task = TaskContext.get();
      return task == null
          ? isStream(QueryScope::ofSession)
          : isStream(name -> Optional.ofNullable(task.getLocalProperty(name)));
    } catch (RuntimeException | LinkageError e) {
      return false;
    }
  }

  @Override
  public String batch() {
    try {
      Option<SparkSession> session = SparkSession.getActiveSession();
      String name = session.isEmpty() ? "" : RunningProgram.name(session.get().sparkContext());
      return Application.parse(name).isOfStream() ? name : "";
    } catch (RuntimeException | LinkageError e) {
      return "";
    }
  }

  private static boolean isStream(Function<String, Optional<String>> property) {
    return property.apply(STREAM).isPresent() && property.apply(EXECUTION).isEmpty();
  }

  private static Optional<String> ofSession(String property) {
    Option<SparkSession> session = SparkSession.getActiveSession();
    return session.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(session.get().sparkContext().getLocalProperty(property));
  }

  private static Query stage(TaskContext task) {
    String application = SparkEnv.get().conf().getAppId();
    String stage = application + " stage " + task.stageId() + "." + task.stageAttemptNumber();
    return new Query(stage, stage, STAGE_SHARES);
  }

  private static Optional<Query> ofDriver() {
    Option<SparkSession> session = SparkSession.getActiveSession();
    if (session.isEmpty()) {
      return Optional.empty();
    }
    SparkContext context = session.get().sparkContext();
    String prefix = context.applicationId() + " execution ";
    return Optional.ofNullable(context.getLocalProperty(EXECUTION))
        .map(
            execution -> {
              String root = context.getLocalProperty(ROOT);
              String work = prefix + (root == null ? execution : root);
              return new Query(prefix + execution, work, EXECUTION_SHARES);
            });
  }
}
