package io.repave.spark.token;

import io.repave.core.error.InvalidConfigException;
import io.repave.spark.write.GivenOptions;
import io.repave.spark.write.RunningQueries;
import io.repave.spark.write.WritePlan;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreePattern;
import org.apache.spark.sql.execution.QueryExecution;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes the writes of runs and of blocks with a token when Spark optimizes their plans. That is in
 * the thread and the execution of the write, and before any stage of it runs. It changes no plan.
 */
public final class PlannedWriteRule extends Rule<LogicalPlan> {
  private static final Logger LOG = LoggerFactory.getLogger(PlannedWriteRule.class);

  private static final String PROTOCOL_KEY = "spark.sql.sources.commitProtocolClass";
  private static final String PROTOCOL = "io.repave.spark.RepaveCommitProtocol";

  /** Spark applies a rule again until a plan stays the same. */
  private static final Set<QueryExecution> SEEN =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    try {
      // An insert, or the inserts of one statement in a union, which may be below a WITH.
      if (plan.containsPattern(TreePattern.COMMAND())) {
        Optional<RunningQueries> running = RunningQueries.ofThread();
        if (running.flatMap(RunningQueries::writing).filter(SEEN::add).isPresent()) {
          note(running.get());
        }
      }
    } catch (Exception | LinkageError e) {
      // Spark's methods do not declare what they throw. The write itself must go on.
      LOG.warn(
          "Repave does not notice if this write fails in a stage with a shuffle. If it fails, end"
              + " the application and repeat the run.",
          e);
    }
    return plan;
  }

  private static void note(RunningQueries running) {
    String protocol = SparkSession.active().conf().get(PROTOCOL_KEY);
    if (!protocol.equals(PROTOCOL)) {
      return;
    }
    for (WritePlan write : WritePlan.planned(running)) {
      try {
        GivenOptions options = GivenOptions.of(write);
        Configuration conf = write.conf(SparkSession.active());
        options.putInto(conf);
        if (write.target().isManaged(conf)) {
          WriteName.of(write.target().access(conf), write, options).plan(write);
        }
      } catch (InvalidConfigException e) {
        // The write is refused for the same reason when it begins, and so is each repetition.
        LOG.debug("Such a write is never made.", e);
      }
    }
  }
}
