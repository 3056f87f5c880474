package io.repave.spark.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Recovers several tables in one JVM, because a JVM takes longer to start than most recoveries. */
final class FleetRecovery {
  private static final ObjectMapper JSON = new ObjectMapper();

  private FleetRecovery() {}

  /** Answers a document for each path; a table that fails keeps no other from being recovered. */
  static String run(List<String> paths, TableCalls.Opener tables) throws InterruptedException {
    List<JsonNode> documents = new ArrayList<>();
    for (String path : paths) {
      ObjectNode document = JSON.createObjectNode().put("table", path);
      try {
        JsonNode recovered = JSON.readTree(tables.open(path).recover());
        document.setAll((ObjectNode) recovered);
      } catch (IOException | RuntimeException e) {
        document
            .put("error", e.getClass().getSimpleName())
            .put("message", String.valueOf(e.getMessage()));
      }
      documents.add(document);
    }
    return TableJson.array(documents).toString();
  }
}
