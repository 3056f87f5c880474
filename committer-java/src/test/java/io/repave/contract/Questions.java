package io.repave.contract;

import com.fasterxml.jackson.databind.JsonNode;
import io.repave.OpenedTables;
import io.repave.RepaveTable;
import io.repave.core.record.Head;
import io.repave.spark.command.TableGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What is asked about each table state; the name of an expected document is its question. */
final class Questions {
  private static final String LIMIT = "history-limit-";

  private Questions() {}

  /** All questions about a table: those about each version, and about one that is too new. */
  static List<String> about(GoldenTable table) throws InterruptedException {
    List<String> questions = new ArrayList<>(List.of("status", "history", LIMIT + "1"));
    questions.addAll(List.of("manifest-newest", "files-newest"));
    for (long version = 0; version <= newest(table) + 1; version++) {
      questions.add("manifest-" + version);
      questions.add("files-" + version);
    }
    return questions;
  }

  private static long newest(GoldenTable table) throws InterruptedException {
    try {
      return table.table().head().map(Head::version).orElse(0L);
    } catch (IOException unreadable) {
      return 0;
    }
  }

  /** The document that answers, or the error. */
  static JsonNode answer(GoldenTable table, String question) throws Exception {
    try {
      RepaveTable opened = OpenedTables.over(table.paths.root().toString(), table.table());
      return Contract.JSON.readTree(answer(TableGateway.of(opened), question));
    } catch (IOException refusal) {
      return Contract.JSON
          .createObjectNode()
          .put("error", Errors.code(refusal))
          .put("message", refusal.getMessage());
    }
  }

  private static String answer(TableGateway gateway, String question) throws Exception {
    String rest = question.substring(question.lastIndexOf('-') + 1);
    if (question.startsWith(LIMIT)) {
      return gateway.history(Integer.parseInt(rest));
    }
    long version = "newest".equals(rest) ? RepaveTable.NEWEST : -2;
    if (version == -2 && question.contains("-")) {
      version = Long.parseLong(rest);
    }
    return switch (question.split("-")[0]) {
      case "status" -> gateway.status();
      case "history" -> gateway.history(Integer.MAX_VALUE);
      case "manifest" -> gateway.manifest(version);
      case "files" -> gateway.files(version);
      default -> throw new AssertionError("nobody asks " + question);
    };
  }
}
