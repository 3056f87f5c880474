package io.repave.spark.monitor;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.engine.Step;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileTotals;
import io.repave.core.record.Labels;
import java.util.Map;

/**
 * What the log says when a write ends: {@code repave-commit {"commit":…}}. Every line has every
 * member, in this order, so that a parser needs no cases; {@code docs/monitoring.md} lists them.
 */
record CommitLine(Write write, Change change, Cost cost) {
  static final String MARK = "repave-commit ";

  /** Which write it was; {@code kind} is null when the write was refused before that was known. */
  record Write(String commit, String table, CommitKind kind) {}

  /** What it changed. */
  record Change(
      CommitOutcome outcome,
      long version,
      long partitions,
      FileTotals totals,
      Map<Step, Long> millis) {}

  /** What it cost this process. */
  record Cost(
      long requests, long retries, long waits, long waitedMillis, long helped, long jobMillis) {}

  @Override
  public String toString() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("commit", write.commit()).put("table", write.table());
    json.put("outcome", change.outcome().label()).put("version", change.version());
    json.put("kind", write.kind() == null ? "" : Labels.of(write.kind()));
    json.put("partitions", change.partitions());
    json.put("files-in", change.totals().filesIn()).put("bytes-in", change.totals().bytesIn());
    json.put("files-out", change.totals().filesOut()).put("bytes-out", change.totals().bytesOut());
    json.put("requests", cost.requests()).put("retries", cost.retries());
    json.put("waits", cost.waits()).put("waited-millis", cost.waitedMillis());
    json.put("helped", cost.helped()).put("job-millis", cost.jobMillis());
    ObjectNode millis = json.putObject("millis");
    for (Step step : Step.values()) {
      millis.put(step.label(), change.millis().getOrDefault(step, 0L));
    }
    return MARK + json;
  }
}
