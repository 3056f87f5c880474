package io.repave.spark.monitor;

import com.codahale.metrics.Counter;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import io.repave.core.engine.Step;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.MetricsSystem;
import org.apache.spark.metrics.source.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the commits of a driver in Spark's metrics system, whose sinks (Prometheus, JMX, CSV, …)
 * report them as {@code <application>.driver.repave.<name>}.
 *
 * <p>{@link Source} is private to Spark for Scala's compiler only. It has had the same two methods,
 * neither of which names a Scala type, in all supported versions of Spark.
 */
public final class CommitMetrics implements Source {
  private static final Logger LOG = LoggerFactory.getLogger(CommitMetrics.class);

  /** One for each SparkContext of this JVM: a new context has a new metrics system. */
  private static final Map<MetricsSystem, CommitMetrics> REGISTERED = new WeakHashMap<>();

  private static boolean unavailable;

  private final MetricRegistry registry = new MetricRegistry();

  CommitMetrics() {
    // All names exist from the start, so that an alert on a rate has a zero to begin with.
    for (CommitOutcome outcome : CommitOutcome.values()) {
      counter("commits." + outcome.label());
    }
    for (Step step : Step.values()) {
      counter("millis." + step.label());
    }
    for (String name :
        new String[] {
          "files-in",
          "bytes-in",
          "files-out",
          "bytes-out",
          "partitions",
          "requests",
          "retries",
          "waits",
          "waited-millis",
          "helped"
        }) {
      counter(name);
    }
    registry.timer("job-time");
  }

  /**
   * The metrics of the running SparkContext, registered when they are first asked for; empty where
   * there is none. Never throws: no commit may fail because of its metrics.
   */
  public static Optional<CommitMetrics> current() {
    try {
      SparkEnv env = SparkEnv.get();
      return env == null || env.metricsSystem() == null
          ? Optional.empty()
          : Optional.of(registered(env.metricsSystem()));
    } catch (RuntimeException | LinkageError e) {
      warnOnce(e);
      return Optional.empty();
    }
  }

  private static synchronized CommitMetrics registered(MetricsSystem system) {
    CommitMetrics known = REGISTERED.get(system);
    if (known == null) {
      known = new CommitMetrics();
      REGISTERED.put(system, known);
      system.registerSource(known);
    }
    return known;
  }

  private static synchronized void warnOnce(Throwable why) {
    if (!unavailable) {
      unavailable = true;
      LOG.warn("Spark's metrics system does not take Repave's metrics; commits go on.", why);
    }
  }

  @Override
  public String sourceName() {
    return "repave";
  }

  @Override
  public MetricRegistry metricRegistry() {
    return registry;
  }

  void count(CommitLine line) {
    CommitLine.Change change = line.change();
    CommitLine.Cost cost = line.cost();
    counter("commits." + change.outcome().label()).inc();
    change.millis().forEach((step, millis) -> counter("millis." + step.label()).inc(millis));
    counter("files-in").inc(change.totals().filesIn());
    counter("bytes-in").inc(change.totals().bytesIn());
    counter("files-out").inc(change.totals().filesOut());
    counter("bytes-out").inc(change.totals().bytesOut());
    counter("partitions").inc(change.partitions());
    counter("requests").inc(cost.requests());
    counter("retries").inc(cost.retries());
    counter("waits").inc(cost.waits());
    counter("waited-millis").inc(cost.waitedMillis());
    counter("helped").inc(cost.helped());
    Timer time = registry.timer("job-time");
    time.update(cost.jobMillis(), TimeUnit.MILLISECONDS);
  }

  private Counter counter(String name) {
    return registry.counter(name);
  }
}
