package io.repave.spark.token;

import io.repave.core.store.Location;
import io.repave.spark.write.RunningQueries;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * How the statements of an application end that have committed a write with a token. A statement is
 * not over when its commit is: Spark then adds partitions to the catalog, which may fail. The
 * program sees a failed write and may try it again, so it counts as failed here too.
 *
 * <p>Spark does not call the commit protocol then. It posts an event when an execution ends, which
 * arrives in another thread; so the next write to the table waits for it.
 */
final class StatementEnds extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(StatementEnds.class);
  private static final Map<SparkContext, StatementEnds> APPLICATIONS = new WeakHashMap<>();

  /** Not Spark's shared queue: slow listeners of others delay and lose events there. */
  private static final String QUEUE = "repave";

  private static final Duration WAIT_MAX = Duration.ofSeconds(30);

  private final LongPredicate isRunning;
  private final Duration waitMax;
  private final Map<Long, CompletableFuture<Boolean>> failures = new ConcurrentHashMap<>();

  /** The executions around the last commit to a table, until the write knows how they ended. */
  private final Map<Location, Map<Long, CompletableFuture<Void>>> committed =
      new ConcurrentHashMap<>();

  StatementEnds(LongPredicate isRunning, Duration waitMax) {
    this.isRunning = isRunning;
    this.waitMax = waitMax;
  }

  /** Empty if Spark takes no listener: then a statement counts as done when its commit is. */
  static Optional<StatementEnds> of(SparkContext context) {
    synchronized (APPLICATIONS) {
      try {
        return Optional.of(APPLICATIONS.computeIfAbsent(context, StatementEnds::listening));
      } catch (RuntimeException | LinkageError e) {
        LOG.warn(
            "Spark does not tell which statements fail after their commit. Do not retry such a"
                + " statement in this application: its rows would be there twice.",
            e);
        return Optional.empty();
      }
    }
  }

  private static StatementEnds listening(SparkContext context) {
    StatementEnds ends = new StatementEnds(RunningQueries::isRunning, WAIT_MAX);
    context.listenerBus().addToQueue(ends, QUEUE);
    return ends;
  }

  /** Tells a write that its commit has succeeded, and again if its statement fails afterwards. */
  WriteToken.Use use(Location table, Collection<Long> executions, WriteToken.Use use) {
    return new WriteToken.Use() {
      @Override
      public void committed() {
        use.committed();
        watch(table, executions, use);
      }

      @Override
      public void failed() {
        use.failed();
      }
    };
  }

  private void watch(Location table, Collection<Long> executions, WriteToken.Use use) {
    AtomicBoolean told = new AtomicBoolean();
    Map<Long, CompletableFuture<Void>> ends = new HashMap<>();
    for (long execution : executions) {
      // A thread may remember an execution that was over before this write: it says nothing.
      if (isRunning.test(execution)) {
        CompletableFuture<Boolean> failure =
            failures.computeIfAbsent(execution, unseen -> new CompletableFuture<>());
        ends.put(
            execution,
            failure.thenAccept(
                failed -> {
                  if (failed && told.compareAndSet(false, true)) {
                    use.failed();
                  }
                }));
      }
    }
    committed.put(table, ends);
    // The write holds the statement's plan, so it must not stay here.
    CompletableFuture.allOf(ends.values().toArray(CompletableFuture[]::new))
        .thenRun(() -> committed.remove(table, ends));
  }

  /**
   * Waits until the last write to the table knows how its statement ended. A statement that still
   * runs, such as one of several inserts, has not failed and is not waited for.
   */
  void awaitLast(Location table) throws InterruptedException {
    for (Map.Entry<Long, CompletableFuture<Void>> end :
        committed.getOrDefault(table, Map.of()).entrySet()) {
      // Spark posts the event before it forgets the execution.
      if (!isRunning.test(end.getKey()) && !isKnown(end.getValue())) {
        LOG.warn(
            "Spark has not told within {} how the last statement that wrote to {} ended. If it"
                + " failed after its commit, do not try it again in this application: its rows"
                + " would be there twice.",
            waitMax,
            table);
        return;
      }
    }
  }

  private boolean isKnown(CompletableFuture<Void> end) throws InterruptedException {
    try {
      end.get(waitMax.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public void onOtherEvent(SparkListenerEvent event) {
    if (event instanceof SparkListenerSQLExecutionEnd end) {
      CompletableFuture<Boolean> failure = failures.remove(end.executionId());
      if (failure != null) {
        failure.complete(hasFailed(end.errorMessage()));
      }
    }
  }

  /** Spark says "no error" by an empty text. */
  private static boolean hasFailed(Option<String> error) {
    return error.isDefined() && !"".equals(error.get());
  }
}
