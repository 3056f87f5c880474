package io.repave.core.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.record.FactsJson;
import io.repave.core.record.Labels;
import io.repave.core.record.RecordCodec;

/**
 * The report of a commit as JSON: the record {@code report.json} and the content of {@code
 * _SUCCESS}.
 */
public final class ReportJson {
  private ReportJson() {}

  public static byte[] write(CommitReport report) {
    ObjectNode json =
        RecordCodec.begin("report")
            .put("commit", report.id().folder())
            .put("kind", Labels.of(report.kind()))
            .put("version", report.version())
            .put("files-in", report.totals().filesIn())
            .put("bytes-in", report.totals().bytesIn())
            .put("files-out", report.totals().filesOut())
            .put("bytes-out", report.totals().bytesOut());
    FactsJson.put(json, report.totals());
    ObjectNode requests = json.putObject("requests");
    for (CountedStore.Request request : CountedStore.Request.values()) {
      Long count = report.requests().get(request);
      if (count != null) {
        requests.put(Labels.of(request), count);
      }
    }
    ObjectNode millis = json.putObject("millis");
    for (Step step : Step.values()) {
      Long spent = report.millis().get(step);
      if (spent != null) {
        millis.put(step.label(), spent);
      }
    }
    return RecordCodec.seal(json);
  }
}
