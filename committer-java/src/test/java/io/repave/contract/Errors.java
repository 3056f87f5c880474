package io.repave.contract;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;

/** The table of errors, {@code contract/errors.json}. */
final class Errors {
  private Errors() {}

  static JsonNode table() throws IOException {
    return Contract.read(Contract.ROOT.resolve("errors.json"));
  }

  /** What the JSON of an error calls an exception. */
  static String code(Exception thrown) throws IOException {
    for (JsonNode entry : table()) {
      for (String name : new String[] {"java", "java-0.1"}) {
        if (entry.path(name).asText().equals(thrown.getClass().getSimpleName())) {
          return entry.get("error").asText();
        }
      }
    }
    throw new AssertionError("errors.json does not know " + thrown, thrown);
  }

  static boolean isOf(Exception thrown, String code) {
    try {
      return code(thrown).equals(code);
    } catch (IOException unreadable) {
      throw new AssertionError(unreadable);
    }
  }
}
